// Migration 3: slots by lane, corrected by what other programs spend. The rules live in the database, because all
// worker processes share them and each call may cost one statement only.

/** What the row of a token learns beside its next slot. Times are the database's. */
const COLUMNS = `
  alter table slots
    -- Number of the next slot.
    add column slot_no bigint not null default 1,
    -- Slots that a share of the budget has coming: one or more, and its lanes come first.
    add column reply_due float8 not null default 0,
    add column lead_due float8 not null default 0,
    add column low_due float8 not null default 0,
    -- Wider distance that leaves room for what others spend in this window.
    add column stretch_s float8 not null default 0,
    add column stretch_until timestamptz not null default '-infinity',
    -- The service's window: its end as the header says, and as it is by the database's clock.
    add column window_reset timestamptz,
    add column window_ends timestamptz not null default '-infinity',
    -- First and last slot of ours in the window, last one before it, and how many the window before held.
    add column window_first bigint not null default 1,
    add column window_last bigint not null default 0,
    add column window_before bigint not null default 0,
    add column own_before int not null default 0,
    -- Calls that the service has counted, less the number of the slot that told so, while nobody else calls.
    add column window_base bigint not null default 0,
    -- How far the service's clock is ahead, as far as answers have proved it.
    add column skew_s float8 not null default 0,
    -- Calls of others in this window, and the largest step of them; the same as is usual in a window.
    add column foreign_now float8 not null default 0,
    add column burst_now float8 not null default 0,
    add column foreign_usual float8 not null default 0,
    add column burst_usual float8 not null default 0,
    -- Calls of others two to four seconds ago: a burst is not over in one answer.
    add column mark_at timestamptz not null default '-infinity',
    add column mark_last float8 not null default 0,
    add column mark_before float8 not null default 0`;

/** A token that was refused: wholly (scope '') or a scope of it. A preference, never a wall. */
const MARKS = `
  create table token_marks (
    token text not null,
    scope text not null,
    code text not null,
    at timestamptz not null default clock_timestamp(),
    primary key (token, scope)
  )`;

/**
 * How many seconds before it is due a lane may take the next slot. The higher lane sees farther, so it wins. Whoever
 * has a slot of its share coming sees farther than all without one, who then take it only when it is almost due: so a
 * reserve is kept while it is wanted, and none of it is lost when it is not. Below 200 ms a slot is too short for this: on a busy machine the
 * question alone takes tens of milliseconds, and a slot that is asked for late is lost in part.
 */
const HORIZON = `
  create function sluice_horizon(s slots, lane int) returns float8 immutable language sql as $$
    select greatest(60.0 / s.call_limit, 0.2) * (case
      when case lane when 1 then s.reply_due when 2 then s.lead_due else s.low_due end > 0.999
        then array[1.0, 0.8, 0.6, 0.5, 0.4]
      when greatest(s.reply_due, s.lead_due, s.low_due) > 0.999 then array[0.3, 0.25, 0.2, 0.15, 0.1]
      else array[1.0, 0.8, 0.6, 0.4, 0.25] end)[lane]::float8
  $$`;

/** Seconds to the slot after one at a time: 60 s / limit and 0.5 %, or wider while others spend the same token. */
const GAP = `
  create function sluice_gap(s slots, at timestamptz) returns float8 immutable language sql as $$
    select case when at < s.stretch_until
                then greatest(base, least(s.stretch_s, base + extract(epoch from s.stretch_until - at)))
                else base end
      from (select (60.0 / s.call_limit * 1.005)::float8 as base) b
  $$`;

/**
 * When the next slot of a token is due. A window that our slots fill to its limit is over before the next one: on the
 * way calls overtake each other, so even slots alone would now and then put one call too many into it.
 */
const DUE = `
  create function sluice_due(s slots) returns timestamptz immutable language sql as $$
    select greatest(s.next_at, s.blocked_until,
      case when s.slot_no + s.window_base + s.foreign_now > s.call_limit then s.window_ends end)
  $$`;

/**
 * Takes the next slot that one of the tokens has for one of the lanes, the one that sees it first, or says when to ask
 * again. Looks without a lock first,
 * so that a refusal costs no write; then locks the row and looks again. The clock is read only behind the lock: read
 * before, a caller that queued for the row would wait that much too long, and two calls would come closer than a slot.
 * p_now is for tests: their own clock.
 */
const TAKE = `
  create function sluice_take_slot(
    p_tokens text[], p_limits int[], p_lanes int[], p_reply float8, p_lead float8, p_floor float8,
    p_scopes text[], p_now timestamptz default null
  ) returns table (chosen text, taken boolean, lane int, wait_s float8, slot bigint, marked boolean, next_s float8, gap_s float8)
  language plpgsql as $$
  declare
    best record;
    s slots;
    tries int := 0;
    moment timestamptz;
    due timestamptz;
    opens timestamptz;
    gap float8;
    whole float8;
  begin
    loop
      moment := coalesce(p_now, clock_timestamp());
      select c.token, c.opens, c.marked into best from (
        select t.token, sluice_due(t) as due,
               sluice_due(t) - make_interval(secs => (
                 select max(sluice_horizon(t, l)) from unnest(p_lanes) l)) as opens,
               p_scopes is not null and exists (
                 select 1 from token_marks m where m.token = t.token and m.scope = any(p_scopes)
                    and m.at > moment - interval '10 minutes') as marked,
               count(*) over () as known
          from slots t where t.token = any(p_tokens)) c
       where c.known = cardinality(p_tokens)
       order by c.marked, greatest(c.opens, moment), c.due limit 1;
      if not found then
        tries := tries + 1;
        if tries > 3 then raise exception 'the rows of % tokens can not be made', cardinality(p_tokens); end if;
        insert into slots (token, call_limit) select u.token, u.call_limit from unnest(p_tokens, p_limits) u(token, call_limit)
          -- In one order for all: accounts that name the same tokens the other way round would wait for each other.
          order by 1 on conflict do nothing;
        continue;
      end if;
      chosen := best.token;
      marked := best.marked;
      opens := best.opens;
      if opens <= moment then
        select * into s from slots t where t.token = best.token for update;
        moment := coalesce(p_now, clock_timestamp());
        due := sluice_due(s);
        select l, due - make_interval(secs => sluice_horizon(s, l)) into lane, opens
          from unnest(p_lanes) l order by 2, 1 limit 1;
      end if;
      if opens <= moment then
        due := greatest(due, moment);
        gap := sluice_gap(s, due);
        slot := s.slot_no;
        -- Each share gains its part of a slot; whoever took this one has had it. Shares beyond the limit shrink.
        whole := greatest(s.call_limit, p_reply + p_lead + p_floor);
        s.reply_due := least(3, greatest(0, s.reply_due + p_reply / whole - (lane = 1)::int));
        s.lead_due := least(3, greatest(0, s.lead_due + p_lead / whole - (lane = 2)::int));
        s.low_due := least(3, greatest(0, s.low_due + p_floor / whole - (lane > 2)::int));
        s.slot_no := slot + 1;
        s.next_at := due + make_interval(secs => gap);
        update slots t set next_at = s.next_at, slot_no = s.slot_no, reply_due = s.reply_due,
          lead_due = s.lead_due, low_due = s.low_due where t.token = s.token;
        taken := true;
        wait_s := extract(epoch from due - moment);
        gap_s := gap;
        next_s := case when cardinality(p_tokens) > 1 then 0
                       else extract(epoch from sluice_due(s) - moment)
                            - (select max(sluice_horizon(s, l)) from unnest(p_lanes) l) end;
        return next;
        return;
      end if;
      -- Somebody was faster at this token: perhaps another one is free.
      tries := tries + 1;
      if best.opens > moment or tries >= cardinality(p_tokens) then
        taken := false;
        wait_s := extract(epoch from opens - moment);
        next_s := wait_s;
        select sluice_gap(t, t.next_at) into gap_s from slots t where t.token = best.token;
        return next;
        return;
      end if;
    end loop;
  end $$`;

/**
 * Learns from an answer: the limit, what is left of the window, and what others have spent of it. The service counts
 * all calls, slots count ours: what their difference grows by is foreign. What others will still spend in this window
 * is taken to be what is usual less what they have, and our slots keep the rest evenly until the window ends.
 */
const OBSERVE = `
  create function sluice_observe(
    p_token text, p_slot bigint, p_last bigint, p_limit int, p_used bigint, p_left bigint, p_reset timestamptz,
    p_quickest_s float8, p_now timestamptz default null
  ) returns table (call_limit int, base bigint, quiet boolean)
  language plpgsql as $$
  declare
    s slots;
    moment timestamptz;
    -- The latest time at which the service counted the call: an answer takes half of the quickest exchange at least.
    -- The middle of this exchange would be too early when it was slow on the way there, as a first one is.
    counted timestamptz;
    -- Below so many calls a difference is calls that overtook each other.
    noise float8 := greatest(2, p_limit * 0.01);
    windows int;
    seen float8;
    expected float8;
    room float8;
    rest_s float8;
    gap float8 := 60.0 / p_limit * 1.005;
  begin
    select * into s from slots t where t.token = p_token for update;
    if not found then return; end if;
    moment := coalesce(p_now, clock_timestamp());
    counted := moment - make_interval(secs => p_quickest_s / 2);
    s.call_limit := p_limit;
    -- More left than there is: a limit, but no count of calls. What it seems to tell of others would stay for minutes.
    if p_used < 0 then
      update slots t set call_limit = p_limit where t.token = p_token;
      return query select p_limit, s.window_base, false;
      return;
    end if;
    -- A reset that moves on while the window lasts is a window that slides: then the count does not start anew.
    if s.window_reset is null
       or (p_reset > s.window_reset + interval '2 seconds'
           and (counted >= s.window_ends - interval '2 seconds' or p_used - p_slot < s.window_base - noise - 2))
       or (p_reset < s.window_reset - interval '2 seconds' and counted > s.window_ends) then
      windows := case when s.window_reset is null then 1
                      else greatest(1, least(50, round(extract(epoch from p_reset - s.window_reset) / 60))) end;
      if windows > 1 then
        s.foreign_usual := greatest(s.foreign_now, (s.foreign_usual + s.foreign_now) / 2) * 0.5 ^ (windows - 1);
        s.burst_usual := greatest(s.burst_now, s.burst_usual / 2) * 0.5 ^ (windows - 1);
      else
        s.foreign_usual := greatest(s.foreign_now, (s.foreign_usual + s.foreign_now) / 2);
        s.burst_usual := greatest(s.burst_now, s.burst_usual / 2);
      end if;
      if s.foreign_usual <= noise then s.foreign_usual := 0; s.burst_usual := 0; end if;
      s.foreign_now := 0;
      s.burst_now := 0;
      s.mark_last := 0;
      s.mark_before := 0;
      if s.window_reset is null then
        -- Who spent what is gone by now can't be told.
        s.window_base := p_used - p_slot;
      else
        s.window_before := least(p_slot - 1, greatest(s.window_last, p_last));
        s.window_base := -s.window_before;
      end if;
      s.window_last := p_slot;
      s.own_before := case when windows = 1 then greatest(0, p_slot - s.window_first) else 0 end;
      s.window_first := p_slot;
      -- A window is a minute long (API text, Limits), so whatever the header says it ends a minute after it was seen
      -- first, and when this call began it just then. The header is in whole seconds; what differs by more is the clocks.
      s.window_reset := p_reset;
      s.skew_s := greatest(s.skew_s, extract(epoch from p_reset - counted) - 61);
      if p_used = 1 then s.skew_s := least(s.skew_s, extract(epoch from p_reset - counted) - 60); end if;
      s.window_ends := least(p_reset - make_interval(secs => s.skew_s), counted + interval '60 seconds');
    elsif p_reset < s.window_reset - interval '2 seconds' then
      -- An answer of the window before, overtaken by one of this window.
      if p_slot > s.window_before then
        s.window_base := s.window_base + s.window_before - p_slot;
        update slots t set window_before = p_slot, window_base = s.window_base where t.token = p_token;
      end if;
      return query select s.call_limit, s.window_base, false;
      return;
    elsif p_reset > s.window_reset + interval '2 seconds' then
      s.window_reset := p_reset;
      s.window_ends := least(p_reset - make_interval(secs => s.skew_s), counted + interval '60 seconds');
    end if;
    if s.window_ends < counted then
      s.skew_s := least(s.skew_s, extract(epoch from s.window_reset - counted));
      s.window_ends := counted;
    end if;
    s.window_last := greatest(s.window_last, p_slot);

    s.window_base := least(s.window_base, p_used - p_slot + 2);
    -- Others can't have had more than there is, whatever one garbled answer said.
    seen := least(p_limit, greatest(0, p_used - p_slot - s.window_base));
    s.foreign_now := least(s.foreign_now, p_limit);
    s.foreign_usual := least(s.foreign_usual, p_limit);
    s.burst_now := least(s.burst_now, p_limit);
    s.burst_usual := least(s.burst_usual, p_limit);
    if moment > s.mark_at + interval '2 seconds' then
      s.mark_at := moment;
      s.mark_before := s.mark_last;
      s.mark_last := s.foreign_now;
    end if;
    if seen > noise and seen > s.foreign_now then
      s.foreign_now := seen;
      s.burst_now := greatest(s.burst_now, seen - s.mark_before);
    end if;

    s.stretch_until := '-infinity';
    rest_s := extract(epoch from s.window_ends - greatest(s.next_at, moment));
    if (s.foreign_now > 0 or s.foreign_usual > 0) and rest_s > 0 then
      expected := greatest(
        least(s.foreign_usual - s.foreign_now, greatest(s.foreign_usual / 60 * rest_s, s.burst_usual)),
        greatest(0, s.foreign_now - s.foreign_usual - noise) * rest_s / (70 - least(60, rest_s)),
        0);
      -- Slots given since are not in the service's count yet; one call is kept for what is not known.
      room := p_left - (s.slot_no - 1 - p_slot) - expected - 1;
      s.stretch_s := least(rest_s / greatest(room, 0.01), gap * 10);
      if s.stretch_s > gap then s.stretch_until := s.window_ends; end if;
    end if;
    if p_left <= 0 and s.window_ends > moment then
      s.blocked_until := greatest(s.blocked_until, least(s.window_ends, moment + interval '60 seconds'));
    end if;
    update slots t set call_limit = s.call_limit, window_reset = s.window_reset, window_ends = s.window_ends,
      window_first = s.window_first, window_last = s.window_last, window_before = s.window_before, own_before = s.own_before,
      window_base = s.window_base, skew_s = s.skew_s, foreign_now = s.foreign_now, burst_now = s.burst_now,
      foreign_usual = s.foreign_usual, burst_usual = s.burst_usual, mark_at = s.mark_at, mark_last = s.mark_last,
      mark_before = s.mark_before, stretch_s = s.stretch_s,
      stretch_until = s.stretch_until, blocked_until = s.blocked_until
     where t.token = p_token;
    return query select s.call_limit, s.window_base,
      s.foreign_now = 0 and s.foreign_usual = 0 and s.blocked_until <= moment;
  end $$`;

export const BUDGET_TABLES: readonly string[] = [COLUMNS, MARKS, HORIZON, GAP, DUE, TAKE, OBSERVE];
