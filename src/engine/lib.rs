//! The rules of the games, and nothing else: what a game is ([`rules`]) and the games themselves ([`games`]).
//!
//! A crate of its own, so that it builds and tests without server, database or templates, and so that the compiler
//! keeps those out.

pub mod games;
pub mod rules;
