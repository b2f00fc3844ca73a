//! The whole service, walked from outside.

mod line;
