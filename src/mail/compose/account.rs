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
        format!("One step left before you can play on {site}: confirm that this address is yours."),
    )
    .text(format!("Your name there is {name}."))
    .button("Confirm my address", url)
    .text(good_until(context, expires))
    .text(
        "If you didn't sign up, ignore this letter: nobody can use the account without the link, and it will be \
         removed by itself.",
    )
}

pub(super) fn already_registered(context: &Context<'_>, sign_in_url: &str, reset_url: &str) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("You already have an account at {site}"),
        format!("Somebody tried to use this address for another account at {site}."),
    )
    .text(format!("It belongs to your account {name}, so nothing was changed."))
    .button("Sign in", sign_in_url)
    .button("Set a new password", reset_url)
    .text("If it wasn't you, you need not do anything.")
}

pub(super) fn reset(context: &Context<'_>, url: &str, expires: Stamp) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("Set a new password for {site}"),
        format!("Here is the link to set a new password for your account {name}."),
    )
    .button("Set a new password", url)
    .text(good_until(context, expires))
    .text("It works once. Setting a new password signs you out in every browser.")
    .text("If you didn't ask for this, ignore this letter: your password stays the same.")
}

pub(super) fn password_changed(context: &Context<'_>, reset_url: &str) -> Page {
    let site = &context.site.name;
    Page::new(
        format!("Your password for {site} was changed"),
        "The password of your account was changed, and all other browsers were signed out.".to_owned(),
    )
    .text("If it was you, you need not do anything. If it wasn't, set a new password at once:")
    .button("Set a new password", reset_url)
}

pub(super) fn change_address(context: &Context<'_>, url: &str, expires: Stamp) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("Confirm your new address for {site}"),
        format!("The account {name} at {site} asked to get its letters at this address."),
    )
    .button("Use this address", url)
    .text(good_until(context, expires))
    .text("Until you confirm, letters go to the old address. If you don't know this account, ignore this letter.")
}

pub(super) fn address_changed(context: &Context<'_>, contact_url: &str) -> Page {
    let (site, name) = (&context.site.name, isolated(&context.to.name));
    Page::new(
        format!("Your account at {site} has a new address"),
        format!("Letters for your account {name} now go to another address."),
    )
    .text(
        "This is the last letter to this address. If you did not change it, tell the people who run the site at once:",
    )
    .button("Go to the site", contact_url)
}

pub(super) fn account_deleted(context: &Context<'_>) -> Page {
    let site = &context.site.name;
    Page::new(format!("Your account at {site} is deleted"), "Your account is deleted, as you asked.".to_owned())
        .text(
            "You have resigned from the games that were running. Where you played, the pages now say “former player” \
             instead of your name. You can use this address for a new account.",
        )
        .text(
            "Your score and your drops are kept for a year under a hash of your address that only this site can compute. \
             If you make an account with this address within that year, it gets them back. After a year the hash is \
             deleted.",
        )
        .text("Thank you for playing.")
}

fn good_until(context: &Context<'_>, expires: Stamp) -> String {
    format!("The link works until {}.", when::in_zone_and_utc(expires, context.to.zone))
}
