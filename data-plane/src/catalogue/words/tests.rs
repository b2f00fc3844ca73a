//! The whole search: what it promises to every caller, and how well it finds.

mod judged;
