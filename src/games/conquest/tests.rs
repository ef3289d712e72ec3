//! Tests of the rules on positions and whole games.
