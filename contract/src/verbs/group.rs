//! Owns the verbs on groups.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListInput, Page};
use crate::id::{self, Id};
use crate::sample;
use crate::verb::{Needs, verb};
use crate::{Action, Name, Scope, Timestamp};

/// A group: a scope below the identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Its id.
    pub id: Id<id::Group>,
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

/// What creates a group.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// Its name: the second segment of its scope. Cannot be changed.
    pub name: Name,
    /// Its title, for people (up to 200 characters).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
}

/// What changes a group.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateInput {
    /// The group's name.
    pub group: Name,
    /// Its new title (up to 200 characters).
    #[schemars(length(max = 200))]
    pub title: String,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

/// What archives a group.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchiveInput {
    /// The group's name.
    pub group: Name,
    /// The version you read; refused if it is no longer the current one.
    pub expected_version: i64,
}

verb! {
    /// Creates a group in your identity. Servers, grants and projects can be put in it.
    Create = "group.create", Post "/v1/groups", Write, Control,
    needs Needs::Action(Action::ScopeManage), CreateInput => Group, hints [],
    example { "name": "finance", "title": "Finance" } => {
        "id": sample::text("group", 9), "scope": "acme/finance", "title": "Finance",
        "archived": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }
}
verb! {
    /// Lists the groups that you may see, by name.
    List = "group.list", Get "/v1/groups", Read, Control,
    needs Needs::Action(Action::ScopeRead), ListInput => Page<Group>, hints [MoreFollows],
    example { "limit": 10 } => { "items": [{
        "id": sample::text("group", 1), "scope": "acme/shop", "title": "Shop",
        "archived": false, "created": "2026-11-30T12:00:00Z", "version": 1
    }] }
}
verb! {
    /// Changes a group's title.
    Update = "group.update", Patch "/v1/groups/{group}", Write, Control,
    needs Needs::Action(Action::ScopeManage), UpdateInput => Group, hints [],
    example { "group": "shop", "title": "The shop", "expected_version": 1 } => {
        "id": sample::text("group", 1), "scope": "acme/shop", "title": "The shop",
        "archived": false, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
verb! {
    /// Archives a group and what lies in it: from the next call on, nothing there can be called.
    /// Its records stay readable.
    Archive = "group.archive", Post "/v1/groups/{group}/archive", Destructive, Control,
    needs Needs::Action(Action::ScopeManage), ArchiveInput => Group, hints [],
    example { "group": "shop", "expected_version": 1 } => {
        "id": sample::text("group", 1), "scope": "acme/shop", "title": "Shop",
        "archived": true, "created": "2026-11-30T12:00:00Z", "version": 2
    }
}
