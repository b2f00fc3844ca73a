//! Prints the policy: every built-in role, at every level of grant and target, as decided.

use std::fmt::Write;

use contract::Action;

use super::{Kind, MOMENT, PRIMARY, caller, scope};
use crate::authority::decide;
use crate::role::BuiltIn;
use crate::view::AuthorityView;
use crate::view::sample::World;

/// The scopes of a line, each with the letter it has in the matrix.
const LINE: [(&str, char); 3] = [("acme", 'i'), ("acme/shop", 'g'), ("acme/shop/checkout", 'p')];

fn world(role: BuiltIn, place: &str) -> AuthorityView {
    World::acme()
        .user(1)
        .token(10, 1)
        .with_token(10, |token| token.kind = Kind::User)
        .grant(20, 1, place, role.as_str())
        .agent(2)
        .token(12, 2)
        .grant(22, 2, place, role.as_str())
        .view()
}

/// Where along the line the token may, and nowhere beside it.
fn cell(view: &AuthorityView, token: u32, action: Action) -> String {
    let may = |place: &str| {
        let caller = caller(view, token);
        decide(&PRIMARY, &caller, action, &scope(place), MOMENT).permit().is_ok()
    };
    LINE.iter().map(|(place, letter)| if may(place) { *letter } else { '.' }).collect()
}

#[test]
fn the_matrix_of_roles_is_the_printed_one() {
    let mut page = String::from(
        "What each built-in role allows, as decided. A cell says where along the line of scopes:\n\
         i the identity, g a group in it, p a project in that group. A line marked `user` is for\n\
         users signed in as such; an agent with the same role may not.\n",
    );
    for (granted, _) in LINE {
        let level = format!("{:?}", scope(granted).level()).to_lowercase();
        let heads: Vec<_> =
            BuiltIn::ALL.iter().map(|role| format!("{:9}", role.as_str())).collect();
        write!(page, "\nGranted at: {level}\n{:20}{:6}{}\n", "", "", heads.concat().trim_end())
            .expect("writes");
        let views: Vec<_> = BuiltIn::ALL.iter().map(|role| world(*role, granted)).collect();
        for action in Action::ALL.iter().copied() {
            let users: Vec<_> = views.iter().map(|view| cell(view, 10, action)).collect();
            let agents: Vec<_> = views.iter().map(|view| cell(view, 12, action)).collect();
            let who = if users == agents { "" } else { "user" };
            let cells: Vec<_> = users.iter().map(|cell| format!("{cell:9}")).collect();
            let cells = cells.concat();
            writeln!(page, "{:20}{who:6}{}", action.as_str(), cells.trim_end()).expect("writes");
            assert_eq!(who == "user", action.users_only(), "{action}");
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("role-matrix", page));
}
