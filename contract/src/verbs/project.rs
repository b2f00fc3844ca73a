//! Owns the verbs on projects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Page;
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Scope, Timestamp};

/// A project: a scope below a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Project {
    /// Its id.
    pub id: Id<id::Project>,
    /// Its scope.
    pub scope: Scope,
    /// Its title, for people.
    pub title: String,
    /// Whether it was archived: nothing in it can be called.
    pub archived: bool,
    /// When it was created.
    pub created: Timestamp,
    /// The version to send as `expected_version`.
    pub version: i64,
}

/// What creates a project.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// The group it is in.
    pub group: Name,
    /// Its name: the third segment of its scope. Cannot be changed.
    pub name: Name,
    /// Its title, for people (up to 200 characters).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
}

/// Which projects to list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    /// The group whose projects to list.
    pub group: Name,
    /// Where to go on: the `cursor` of the answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 400))]
    pub cursor: Option<String>,
    /// How many at most (1 to 200, 50 if not said).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
}

/// What changes a project.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateInput {
    /// The group it is in.
    pub group: Name,
    /// The project's name.
    pub project: Name,
    /// Its new title (up to 200 characters).
    #[schemars(length(max = 200))]
    pub title: String,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// What archives a project.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchiveInput {
    /// The group it is in.
    pub group: Name,
    /// The project's name.
    pub project: Name,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

verb! {
    /// Creates a project in a group.
    Create = "project.create", Post "/v1/groups/{group}/projects", Write, Control,
    needs Needs::Action(Action::ScopeManage), CreateInput => Project, hints [],
    example { "group": "shop", "name": "search", "title": "Search" } => {
        "id": sample::text("project", 9), "scope": "acme/shop/search", "title": "Search",
        "archived": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the projects of a group that you may see, by name.
    List = "project.list", Get "/v1/groups/{group}/projects", Read, Control,
    needs Needs::Action(Action::ScopeRead), ListInput => Page<Project>, hints [MoreFollows],
    example { "group": "shop" } => { "items": [{
        "id": sample::text("project", 1), "scope": "acme/shop/checkout", "title": "Checkout",
        "archived": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Changes a project's title.
    Update = "project.update", Patch "/v1/groups/{group}/projects/{project}", Write, Control,
    needs Needs::Action(Action::ScopeManage), UpdateInput => Project, hints [],
    example { "group": "shop", "project": "checkout", "title": "Check-out", "expected_version": 1 } => {
        "id": sample::text("project", 1), "scope": "acme/shop/checkout", "title": "Check-out",
        "archived": false, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Archives a project: from the next call on, nothing in it can be called. Its records stay
    /// readable.
    Archive = "project.archive", Post "/v1/groups/{group}/projects/{project}/archive", Destructive,
    Control, needs Needs::Action(Action::ScopeManage), ArchiveInput => Project, hints [],
    example { "group": "shop", "project": "checkout", "expected_version": 1 } => {
        "id": sample::text("project", 1), "scope": "acme/shop/checkout", "title": "Checkout",
        "archived": true, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
