import type { Field } from "~/core/field.schema";
import { type GroupId, SETTINGS_GROUPS } from "~/platform/settings/groups/index.schema";
import { ADVANCED_GROUPS } from "./advanced.schema";
import { cardId, SETTINGS_TABS } from "./settings-tabs.shared";

/** A card or field, found by its label. */
interface SettingsTarget {
  label: string;
  to: string;
  needs:
    | "settings.manage"
    | "providers.manage"
    | "profile.write"
    | "members.manage"
    | "keys.manage"
    | "backup.manage"
    | "egress.manage";
  keywords: string;
}

/** Cards without a settings group. */
const CARDS: readonly SettingsTarget[] = [
  { label: "Profile", to: "/settings/profile#profile", needs: "profile.write", keywords: "name email role" },
  {
    label: "Notifications",
    to: "/settings/profile#notifications",
    needs: "profile.write",
    keywords: "email push events alerts",
  },
  {
    label: "Password",
    to: "/settings/profile#password",
    needs: "profile.write",
    keywords: "change security",
  },
  {
    label: "Sessions",
    to: "/settings/profile#sessions",
    needs: "profile.write",
    keywords: "sign out devices",
  },
  {
    label: "API Tokens",
    to: "/settings/profile#api-tokens",
    needs: "profile.write",
    keywords: "access scopes",
  },
  {
    label: "Chat",
    to: "/settings/profile#chat",
    needs: "profile.write",
    keywords: "enter sends preferences",
  },
  { label: "Groups", to: "/settings/members#groups", needs: "members.manage", keywords: "teams" },
  { label: "Tools", to: "/settings/advanced#tools", needs: "settings.manage", keywords: "approval policy" },
  {
    label: "Background Jobs",
    to: "/settings/system#background-jobs",
    needs: "settings.manage",
    keywords: "queue",
  },
  {
    label: "Restore a backup",
    to: "/settings/system#backups",
    needs: "backup.manage",
    keywords: "export import download upload move compact vacuum",
  },
  {
    label: "Outgoing Calls",
    to: "/settings/system#outgoing-calls",
    needs: "egress.manage",
    keywords: "egress allow private hosts network refused",
  },
];

const HOMES: Record<GroupId, string> = {
  ...(Object.fromEntries(
    SETTINGS_GROUPS.filter(({ id }) => ADVANCED_GROUPS.some((advanced) => advanced === id)).map((group) => [
      group.id,
      `/settings/advanced#${cardId(group.label)}`,
    ]),
  ) as Record<(typeof ADVANCED_GROUPS)[number], string>),
  rag: "/rag?panel=settings#rag-embedding-settings",
  branding: "/settings/branding",
  organisation: "/settings/members#organization",
  routing: "/settings/providers#routing",
  backups: "/settings/system#backups",
};

/** Tabs, cards, fields. */
export const SETTINGS_TARGETS: readonly SettingsTarget[] = [
  ...SETTINGS_TABS.map(({ id, label, needs }) => ({
    label,
    to: `/settings/${id}`,
    needs,
    keywords: "settings",
  })),
  ...CARDS,
  ...SETTINGS_GROUPS.flatMap((group) => {
    const to = HOMES[group.id];
    const fields = Object.values<Field>(group.fields);
    const fieldTargets = fields.map(({ label, hint }) => ({
      label: `${group.label}: ${label}`,
      to,
      needs: group.permission,
      keywords: hint,
    }));
    const isTab = SETTINGS_TABS.some(({ label }) => label === group.label);
    return isTab || fieldTargets.length === 0
      ? fieldTargets
      : [{ label: group.label, to, needs: group.permission, keywords: "settings" }, ...fieldTargets];
  }),
];
