import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { CHANNELS, EVENT_NAMES, eventFacts, PERSONAL_CHANNELS } from "~/platform/settings/events.shared";
import { isChannelOn } from "./channel-switches.server";
import { listChoices, saveChoices } from "./choices.repo.server";
import type { NotificationPreferences, NotificationPreferencesInput } from "./notifications.schema";
import { chosenChannels } from "./notify.service.server";

/** Events within the user's permissions. */
export function readPreferences(actor: Actor): NotificationPreferences {
  authorise(actor, "notifications.own");
  const { role } = actor;
  const choices = listChoices(db(), [actor.userId]).get(actor.userId);
  return {
    events: EVENT_NAMES.filter((event) => may({ role }, eventFacts(event).permission)).map((event) => {
      const chosen = chosenChannels(choices, event);
      const { label, hint } = eventFacts(event);
      return {
        event,
        label,
        hint,
        channels: PERSONAL_CHANNELS.filter((channel) => chosen.includes(channel)),
      };
    }),
    on: CHANNELS.filter((channel) => isChannelOn(actor.orgId, channel)),
  };
}

/** Saves the form of the actor's events: `event:channel` of each box that was checked. */
export function savePreferencesForm(actor: Actor, checked: readonly string[]): NotificationPreferences {
  const { events } = readPreferences(actor);
  return savePreferences(actor, {
    events: Object.fromEntries(
      events.map(({ event }) => [
        event,
        PERSONAL_CHANNELS.filter((channel) => checked.includes(`${event}:${channel}`)),
      ]),
    ),
  });
}

export function savePreferences(actor: Actor, input: NotificationPreferencesInput): NotificationPreferences {
  authorise(actor, "preferences.write");
  return transaction((tx) => {
    const present = listChoices(tx, [actor.userId]).get(actor.userId);
    const copied = Object.entries(present ?? {}).map(([event, channels]) => [event, [...channels]]);
    saveChoices(tx, actor.userId, { ...Object.fromEntries(copied), ...input.events }, now());
    return readPreferences(actor);
  });
}
