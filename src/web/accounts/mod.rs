//! Pages about accounts: signing up and in, settings, letters turned off.

pub mod reset;
pub mod settings;
pub mod sign_in;
pub mod sign_up;
pub mod theme;
pub mod unsubscribe;
pub mod zones;
