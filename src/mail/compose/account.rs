//! Letters about an account. They hold secret links, so they say what to do when they come unasked.

use super::Context;
use super::page::Page;
use crate::mail::isolated;
use crate::store::Stamp;
use crate::when;

pub(super) fn confirm(context: &Context<'_>, url: &str, expires: Stamp) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("Confirm your address for {site}"),
        format!("One step is left to play on {site}: confirm that this address is yours."),
    )
    .text(format!("Your name there is {name}."))
    .button("Confirm my address", url)
    .text(good_until(context, expires))
    .text(
        "If you didn't sign up, leave this letter alone: without the link nobody can use the account, and it \
             is removed by itself.",
    )
}

pub(super) fn already_registered(context: &Context<'_>, sign_in_url: &str, reset_url: &str) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("You have an account at {site} already"),
        format!("Somebody wanted to use this address for a new account or for another one at {site}."),
    )
    .text(format!("It already belongs to your account {name}, so nothing was changed."))
    .button("Sign in", sign_in_url)
    .button("Set a new password", reset_url)
    .text("If it wasn't you, there is nothing to do.")
}

pub(super) fn reset(context: &Context<'_>, url: &str, expires: Stamp) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("Set a new password for {site}"),
        format!("Here is the link to set a new password for your account {name}."),
    )
    .button("Set a new password", url)
    .text(good_until(context, expires))
    .text("It works once, and setting a password signs you out everywhere.")
    .text("If you didn't ask for it, leave this letter alone: your password stays as it is.")
}

pub(super) fn password_changed(context: &Context<'_>, reset_url: &str) -> Page {
    let site = &context.site.name;
    Page::new(
        format!("Your password for {site} was changed"),
        "The password of your account was changed, and all other browsers were signed out.".to_owned(),
    )
    .text("If it was you, there is nothing to do. If it wasn't, set a new one at once:")
    .button("Set a new password", reset_url)
}

pub(super) fn change_address(context: &Context<'_>, url: &str, expires: Stamp) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("Confirm your new address for {site}"),
        format!("The account {name} at {site} wants its letters sent to this address."),
    )
    .button("Use this address", url)
    .text(good_until(context, expires))
    .text("Until then letters go to the old one. If you don't know the account, leave this letter alone.")
}

pub(super) fn address_changed(context: &Context<'_>, contact_url: &str) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("Your account at {site} has a new address"),
        format!("Letters for your account {name} now go to another address."),
    )
    .text(
        "This is the last letter to this one. If it wasn't you who changed it, tell the people who run the \
             site at once:",
    )
    .button("Go to the site", contact_url)
}

pub(super) fn account_deleted(context: &Context<'_>) -> Page {
    let site = &context.site.name;
    Page::new(format!("Your account at {site} is deleted"), "Your account is deleted, as you asked.".to_owned())
        .text(
            "Games that were running count as resigned. Your name is gone from them; they show “former player”. \
             This address is free for a new account.",
        )
        .text(
            "Your score and your drops wait for a year, by a hash of the address that only this site can make: an \
             account that you make with it by then has them again. After that the hash is deleted.",
        )
        .text("Thank you for playing.")
}

fn good_until(context: &Context<'_>, expires: Stamp) -> String {
    format!("The link works until {}.", when::in_zone_and_utc(expires, context.to.zone))
}
