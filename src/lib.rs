//! Stardate.
