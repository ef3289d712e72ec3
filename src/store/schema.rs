//! The tables and columns as diesel knows them; a test compares them with the migrations on both databases.

diesel::table! {
    settings (name) {
        name -> Text,
        value -> Text,
    }
}

diesel::table! {
    heartbeats (name) {
        name -> Text,
        at -> Timestamp,
    }
}

diesel::table! {
    users (id) {
        id -> BigInt,
        name -> Text,
        name_key -> Text,
        email -> Nullable<Text>,
        email_key -> Nullable<Text>,
        password_hash -> Text,
        zone -> Text,
        confirmed_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        deleted_at -> Nullable<Timestamp>,
        wants_due -> Bool,
        wants_resolved -> Bool,
        wants_reminders -> Bool,
        wants_news -> Bool,
        unsubscribe_key -> Text,
        mail_fault -> Nullable<Text>,
        bot -> Nullable<Text>,
        wants_talk -> Bool,
        bookings -> BigInt,
    }
}

diesel::table! {
    sessions (id) {
        id -> Text,
        user_id -> BigInt,
        csrf -> Text,
        created_at -> Timestamp,
        seen_at -> Timestamp,
        expires_at -> Timestamp,
        agent -> Text,
    }
}

diesel::table! {
    known_browsers (id) {
        id -> Text,
        user_id -> BigInt,
        seen_at -> Timestamp,
    }
}

diesel::table! {
    forms_done (id) {
        id -> Text,
        table_id -> BigInt,
        at -> Timestamp,
    }
}

diesel::table! {
    mail_tokens (id) {
        id -> Text,
        purpose -> Text,
        user_id -> BigInt,
        email -> Text,
        created_at -> Timestamp,
        expires_at -> Timestamp,
    }
}

diesel::table! {
    loadouts (id) {
        id -> BigInt,
        user_id -> BigInt,
        game -> Text,
        name -> Text,
        body -> Text,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    contents (hash) {
        hash -> Text,
        game -> Text,
        body -> Text,
    }
}

diesel::table! {
    game_tables (id) {
        id -> BigInt,
        version -> BigInt,
        game -> Text,
        title -> Text,
        status -> Text,
        creator_id -> BigInt,
        seat_count -> Integer,
        options -> Text,
        time_limit_s -> BigInt,
        ranked -> Bool,
        invite_only -> Bool,
        invite_key -> Text,
        max_drops -> Nullable<Integer>,
        passes_allowed -> Integer,
        content_hash -> Text,
        edition -> Integer,
        format -> Integer,
        dice_secret -> Binary,
        dice_hash -> Text,
        phase_no -> Integer,
        setup -> Nullable<Text>,
        final_state -> Nullable<Binary>,
        outcome -> Nullable<Text>,
        created_at -> Timestamp,
        started_at -> Nullable<Timestamp>,
        ended_at -> Nullable<Timestamp>,
        min_score -> Nullable<Integer>,
        private_talk -> Bool,
        practice -> Bool,
        open_when_over -> Bool,
    }
}

diesel::table! {
    former_keys (invite_key) {
        invite_key -> Text,
        table_id -> BigInt,
    }
}

diesel::table! {
    removals (table_id, user_id) {
        table_id -> BigInt,
        user_id -> BigInt,
        removed_at -> Timestamp,
    }
}

diesel::table! {
    seats (id) {
        id -> BigInt,
        table_id -> BigInt,
        user_id -> BigInt,
        seat -> Nullable<Integer>,
        setup -> Text,
        joined_at -> Timestamp,
        passes_used -> Integer,
        seen_phase_no -> Integer,
        seen_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    invitations (id) {
        id -> BigInt,
        table_id -> BigInt,
        user_id -> Nullable<BigInt>,
        email_key -> Nullable<Text>,
        invited_by -> BigInt,
        created_at -> Timestamp,
    }
}

diesel::table! {
    phases (table_id, no) {
        table_id -> BigInt,
        no -> Integer,
        key -> Text,
        name -> Text,
        turn -> Integer,
        simultaneous -> Bool,
        state -> Binary,
        opened_at -> Timestamp,
        clock_started_at -> Timestamp,
        deadline_at -> Nullable<Timestamp>,
        edition -> Integer,
        closed_at -> Nullable<Timestamp>,
        closed_by -> Nullable<Text>,
        leavers -> Nullable<Text>,
        report -> Nullable<Text>,
        throws -> Nullable<Text>,
    }
}

diesel::table! {
    opening_reports (table_id) {
        table_id -> BigInt,
        report -> Text,
        throws -> Text,
        seating -> Text,
    }
}

diesel::table! {
    dues (table_id, phase_no, seat) {
        table_id -> BigInt,
        phase_no -> Integer,
        seat -> Integer,
        required -> Bool,
        extended -> Bool,
        seen_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    plots (table_id, phase_no, seat) {
        table_id -> BigInt,
        phase_no -> Integer,
        seat -> Integer,
        body -> Text,
        source -> Text,
        version -> BigInt,
        salt -> Text,
        seal -> Text,
        handed_in_at -> Timestamp,
    }
}

diesel::table! {
    drafts (table_id, phase_no, seat) {
        table_id -> BigInt,
        phase_no -> Integer,
        seat -> Integer,
        body -> Text,
        version -> BigInt,
        saved_at -> Timestamp,
    }
}

diesel::table! {
    results (table_id, seat) {
        table_id -> BigInt,
        seat -> Integer,
        user_id -> BigInt,
        result -> Text,
        score_change -> Integer,
        ranked -> Bool,
        sealed_at -> Timestamp,
        booked_at -> Nullable<Timestamp>,
        person_id -> BigInt,
        counted -> Bool,
        walkover -> Bool,
        not_counted -> Nullable<Text>,
    }
}

diesel::table! {
    table_log (id) {
        id -> BigInt,
        table_id -> BigInt,
        at -> Timestamp,
        kind -> Text,
        detail -> Text,
    }
}

diesel::table! {
    timers (id) {
        id -> BigInt,
        table_id -> BigInt,
        kind -> Text,
        phase_no -> Integer,
        due_at -> Timestamp,
        attempts -> Integer,
        last_error -> Nullable<Text>,
    }
}

diesel::table! {
    outbox (id) {
        id -> BigInt,
        dedupe_key -> Text,
        user_id -> Nullable<BigInt>,
        to_address -> Text,
        to_name -> Text,
        letter -> Text,
        table_id -> Nullable<BigInt>,
        phase_no -> Nullable<Integer>,
        deadline_at -> Nullable<Timestamp>,
        subject -> Text,
        body_text -> Text,
        body_html -> Text,
        message_id -> Text,
        thread_id -> Nullable<Text>,
        unsubscribe_url -> Nullable<Text>,
        status -> Text,
        attempts -> Integer,
        put_offs -> Integer,
        next_attempt_at -> Timestamp,
        last_error -> Nullable<Text>,
        created_at -> Timestamp,
        finished_at -> Nullable<Timestamp>,
        talk_no -> Nullable<Integer>,
        breaks -> Integer,
        leased_until -> Nullable<Timestamp>,
    }
}

diesel::table! {
    messages (id) {
        id -> BigInt,
        table_id -> BigInt,
        no -> Integer,
        author_id -> BigInt,
        to_user_id -> Nullable<BigInt>,
        body -> Text,
        at -> Timestamp,
        removed_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    talk_marks (table_id, user_id) {
        table_id -> BigInt,
        user_id -> BigInt,
        seen_no -> Integer,
    }
}

diesel::table! {
    mutes (user_id, muted_id) {
        user_id -> BigInt,
        muted_id -> BigInt,
        at -> Timestamp,
    }
}

diesel::table! {
    message_reports (id) {
        id -> BigInt,
        message_id -> BigInt,
        reporter_id -> BigInt,
        reason -> Text,
        at -> Timestamp,
        outcome -> Nullable<Text>,
        decided_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    notes (table_id, user_id) {
        table_id -> BigInt,
        user_id -> BigInt,
        body -> Text,
        version -> BigInt,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    credits (from_at) {
        from_at -> Timestamp,
        until_at -> Timestamp,
        state -> Text,
    }
}

diesel::table! {
    credit_marks (from_at, table_id) {
        from_at -> Timestamp,
        table_id -> BigInt,
        phase_no -> Integer,
        gap_s -> BigInt,
        undone -> Bool,
    }
}

diesel::table! {
    writes (id) {
        id -> Text,
        stored -> Bool,
        at -> Timestamp,
    }
}

diesel::table! {
    departures (user_id) {
        user_id -> BigInt,
        address_hash -> Text,
        until -> Timestamp,
    }
}

diesel::joinable!(sessions -> users (user_id));
diesel::joinable!(known_browsers -> users (user_id));
diesel::joinable!(mail_tokens -> users (user_id));
diesel::joinable!(loadouts -> users (user_id));
diesel::joinable!(game_tables -> contents (content_hash));
diesel::joinable!(former_keys -> game_tables (table_id));
diesel::joinable!(seats -> game_tables (table_id));
diesel::joinable!(seats -> users (user_id));
diesel::joinable!(phases -> game_tables (table_id));
diesel::joinable!(dues -> game_tables (table_id));
diesel::joinable!(plots -> game_tables (table_id));
diesel::joinable!(drafts -> game_tables (table_id));
diesel::joinable!(results -> game_tables (table_id));
diesel::joinable!(results -> users (user_id));
diesel::joinable!(timers -> game_tables (table_id));
diesel::joinable!(messages -> users (author_id));

diesel::allow_tables_to_appear_in_same_query!(
    settings,
    heartbeats,
    users,
    sessions,
    known_browsers,
    forms_done,
    mail_tokens,
    loadouts,
    contents,
    game_tables,
    former_keys,
    departures,
    removals,
    seats,
    invitations,
    phases,
    opening_reports,
    dues,
    plots,
    drafts,
    results,
    table_log,
    timers,
    outbox,
    messages,
    talk_marks,
    mutes,
    message_reports,
    notes,
    credits,
    credit_marks,
    writes,
);
