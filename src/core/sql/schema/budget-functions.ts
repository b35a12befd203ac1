// The functions that take slots. They are in the database, because all worker processes share them and each call may cost
// only one statement.
//
// PostgreSQL below 17 refuses to subtract an infinite timestamp, even where the result would not matter. Differences of
// epoch seconds are numbers, and every version has infinite numbers.

/**
 * How many seconds before it is due a lane may take the next slot. The higher lane sees farther, so it wins. A lane
 * with an unused share sees farther than all lanes without one, which then take the slot only when it is almost due.
 * So a reserve is kept while it is wanted, and none of it is lost otherwise. Below 200 ms, a slot is too short for
 * this: on a busy machine the query alone takes tens of milliseconds, and a slot requested late is partly lost.
 *
 * Lane 0: a call that must follow the one before at once, such as a trigger behind the check of its member's tags. Calls of
 * the floor are too far apart for such a pair, so it goes before all lanes, and the lower ones pay for it, if need be later.
 * It sees a little farther than a reply, or it would lose each slot to another process that floods with replies.
 */
const HORIZON = `
  create function sluice_horizon(s slots, lane int) returns float8 immutable language sql as $$
    select case when lane = 0 then 1.1 * greatest(60.0 / s.call_limit, 0.2) else greatest(60.0 / s.call_limit, 0.2) * (case
      when case lane when 1 then s.reply_due when 2 then s.lead_due else s.low_due end > 0.999
        then array[1.0, 0.8, 0.6, 0.5, 0.4]
      when greatest(s.reply_due, s.lead_due, s.low_due) > 0.999 then array[0.3, 0.25, 0.2, 0.15, 0.1]
      else array[1.0, 0.8, 0.6, 0.4, 0.25] end)[lane]::float8 end
  $$`;

/** Seconds between two slots: 60 s / limit plus 0.5 %, or wider while others use the same token. */
const GAP = `
  create function sluice_gap(s slots, at timestamptz) returns float8 immutable language sql as $$
    select case when at < s.stretch_until
                then greatest(base, least(s.stretch_s, base + (extract(epoch from s.stretch_until) - extract(epoch from at))))
                else base end
      from (select (60.0 / s.call_limit * 1.005)::float8 as base) b
  $$`;

/**
 * When the next slot of a token is due. If our slots fill a window up to its limit, the window ends before the next
 * slot: calls overtake each other on the way, so even spacing alone would occasionally put one call too many into it.
 */
const DUE = `
  create function sluice_due(s slots) returns timestamptz immutable language sql as $$
    select greatest(s.next_at, s.blocked_until,
      case when s.slot_no + s.window_base + s.foreign_now > s.call_limit then s.window_ends end)
  $$`;

/** How far ahead the next slot can be: what a lane sees ahead, 10 gaps (MOST_STRETCH) and 5 s (MOST_SLACK_MS). */
const REACH = `
  create function sluice_reach(s slots) returns interval immutable language sql as $$
    select make_interval(secs => greatest(60.0 / s.call_limit, 0.2) + 10 * 60.0 / s.call_limit * 1.005 + 5)
  $$`;

/**
 * Whether a time of the token is further ahead than the budget ever sets one. Then the database's clock was set back,
 * and the token would be silent for that long. A block ends within an hour (MAX_REST_MS), a window within a minute.
 */
const AHEAD = `
  create function sluice_is_ahead(s slots, at timestamptz) returns boolean immutable language sql as $$
    select s.next_at > at + sluice_reach(s) or s.blocked_until > at + interval '1 hour'
        or s.window_ends > at + interval '1 minute'
  $$`;

/**
 * Takes the next slots of one of the tokens for the lanes that want some, as far as each lane sees ahead, and returns
 * when to ask again. It first checks without a lock, so that a refusal costs no write; then it locks the row and
 * checks again. It reads the clock only after taking the lock. If it read the clock before, a caller that queued for
 * the row would wait that much longer, and two calls would come closer than a slot.
 * It returns a row per slot, and a last row without a slot that says when to ask again. p_pace: no slot before that
 * key's next one is due. p_slack: seconds by which these calls may be late; the following slots compensate for it.
 * p_now is a clock for tests.
 *
 * A token that the service refuses completely is tried again after a minute, so that one that works again is soon known.
 * One that lacks a scope has other calls to make, and is tried for that scope after ten minutes.
 *
 * With 500 tokens, PostgreSQL planned the function's statements again at each call, which took longer than the call.
 * The plans without values are as good: each statement finds its rows by an index.
 */
const TAKE = `
  create function sluice_take_slots(
    p_tokens text[], p_limits int[], p_lanes int[], p_wanted int[], p_reply float8, p_lead float8, p_floor float8,
    p_scopes text[], p_pace text, p_per_minute float8, p_slack float8, p_now timestamptz default null
  ) returns table (chosen text, lane int, slot bigint, marked boolean, wait_s float8, at_s float8)
  language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
  declare
    best record;
    s slots;
    tries int := 0;
    moment timestamptz;
    due timestamptz;
    opens timestamptz;
    paced timestamptz := '-infinity';
    whole float8;
    wants int;
    taken int := 0;
    last_due timestamptz;
  begin
    loop
      moment := coalesce(p_now, clock_timestamp());
      select c.token, c.due, c.opens, c.marked, c.reach, c.ahead into best from (
        select t.token, sluice_due(t) as due,
               sluice_due(t) - make_interval(secs => (
                 select max(sluice_horizon(t, l)) from unnest(p_lanes) l)) as opens,
               p_scopes is not null and exists (
                 select 1 from token_marks m where m.token = t.token and m.scope = any(p_scopes)
                    and m.at > moment - case m.scope when '' then interval '1 minute' else interval '10 minutes' end) as marked,
               sluice_reach(t) as reach, bool_or(sluice_is_ahead(t, moment)) over () as ahead, count(*) over () as known
          from slots t where t.token = any(p_tokens)) c
       where c.known = cardinality(p_tokens)
       order by c.marked, greatest(c.opens, moment), c.due limit 1;
      if not found then
        tries := tries + 1;
        if tries > 3 then raise exception 'the rows of % tokens can not be made', cardinality(p_tokens); end if;
        insert into slots (token, call_limit) select u.token, u.call_limit from unnest(p_tokens, p_limits) u(token, call_limit)
          -- All callers use one order: accounts that name the same tokens in reverse order would deadlock.
          order by 1 on conflict do nothing;
        continue;
      end if;
      if best.ahead then
        -- Reads the clock again, because another process may have advanced these times meanwhile.
        update slots t set next_at = least(t.next_at, coalesce(p_now, clock_timestamp()) + sluice_reach(t)),
          blocked_until = least(t.blocked_until, coalesce(p_now, clock_timestamp()) + interval '1 hour'),
          window_ends = least(t.window_ends, coalesce(p_now, clock_timestamp()) + interval '1 minute')
         where t.token = any(p_tokens) and sluice_is_ahead(t, coalesce(p_now, clock_timestamp()));
        continue;
      end if;
      if p_pace is not null then
        update paces p set last_at = least(p.last_at, coalesce(p_now, clock_timestamp()) + best.reach)
         where p.key = p_pace and p.last_at > coalesce(p_now, clock_timestamp()) + best.reach;
        select p.last_at + make_interval(secs => 60 / p_per_minute * 1.005) into paced from paces p where p.key = p_pace;
        if not found then
          insert into paces (key) values (p_pace) on conflict do nothing;
          delete from paces p where p.last_at < moment - interval '1 day' and p.last_at > '-infinity';
          paced := '-infinity';
        end if;
      end if;
      chosen := best.token;
      marked := best.marked;
      opens := best.opens;
      if paced > greatest(best.due, moment) then opens := greatest(opens, paced); end if;
      if opens <= moment then
        select * into s from slots t where t.token = best.token for update;
        if p_pace is not null then
          select p.last_at + make_interval(secs => 60 / p_per_minute * 1.005) into paced
            from paces p where p.key = p_pace for update;
        end if;
        moment := coalesce(p_now, clock_timestamp());
        at_s := extract(epoch from moment);
        whole := greatest(s.call_limit, p_reply + p_lead + p_floor);
        loop
          due := sluice_due(s);
          select w.at, w.lane, due - make_interval(secs => sluice_horizon(s, w.lane)) into wants, lane, opens
            from unnest(p_lanes, p_wanted) with ordinality w(lane, wanted, at) where w.wanted > 0 order by 3, 2 limit 1;
          exit when not found;
          if paced > greatest(due, moment) then opens := greatest(opens, paced); end if;
          exit when opens > moment;
          -- A slot that is requested slightly late keeps its time, so that a busy machine loses none. The call must
          -- still go out within 200 ms of it.
          if due < moment - interval '100 milliseconds' then due := moment; end if;
          slot := s.slot_no;
          wait_s := (extract(epoch from due) - extract(epoch from moment));
          return next;
          taken := taken + 1;
          p_wanted[wants] := p_wanted[wants] - 1;
          -- Each share gains its part of a slot, and the share that took this one pays for it. Shares beyond the
          -- limit shrink.
          s.reply_due := least(3, greatest(0, s.reply_due + p_reply / whole - (lane = 1)::int));
          s.lead_due := least(3, greatest(0, s.lead_due + p_lead / whole - (lane = 2)::int));
          s.low_due := least(3, greatest(case when lane = 0 then -3 else least(0, s.low_due) end, s.low_due + p_floor / whole - (lane > 2 or lane = 0)::int));
          s.slot_no := s.slot_no + 1;
          s.next_at := due + make_interval(secs => sluice_gap(s, due));
          if p_pace is not null then
            last_due := greatest(paced, due - interval '200 milliseconds');
            paced := last_due + make_interval(secs => 60 / p_per_minute * 1.005);
          end if;
        end loop;
        if taken > 0 then
          s.next_at := s.next_at + make_interval(secs => p_slack);
          update slots t set next_at = s.next_at, slot_no = s.slot_no, reply_due = s.reply_due,
            lead_due = s.lead_due, low_due = s.low_due where t.token = s.token;
          if p_pace is not null then update paces p set last_at = last_due where p.key = p_pace; end if;
          -- With several tokens, another one may be free.
          opens := moment;
          if cardinality(p_tokens) = 1 then
            due := sluice_due(s);
            opens := due - make_interval(secs => (select max(sluice_horizon(s, l)) from unnest(p_lanes) l));
            if paced > greatest(due, moment) then opens := greatest(opens, paced); end if;
          end if;
        end if;
      end if;
      -- Another caller took this token's slot, but another token may be free.
      tries := tries + 1;
      if taken > 0 or best.opens > moment or tries >= cardinality(p_tokens) then
        lane := null;
        slot := null;
        at_s := extract(epoch from moment);
        wait_s := (extract(epoch from opens) - extract(epoch from moment));
        return next;
        return;
      end if;
    end loop;
  end $$`;

export const BUDGET_FUNCTIONS: readonly string[] = [HORIZON, GAP, DUE, REACH, AHEAD, TAKE];
