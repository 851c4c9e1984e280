import type { Field } from "~/core/field.schema";
import type { Permission } from "~/platform/catalogue/permissions";
import { type GroupId, SETTINGS_GROUPS } from "~/platform/settings/groups/index.schema";
import type { ADVANCED_GROUPS } from "./advanced.schema";
import { cardId, SETTINGS_TABS } from "./settings-tabs.shared";

/** A card or field, found by its label. */
interface SettingsTarget {
  label: string;
  to: string;
  needs: Permission;
  keywords: string;
}

/** Cards without a settings group, by their address below /settings. */
const CARDS: readonly [label: string, to: string, needs: Permission, keywords: string][] = [
  ["Profile", "profile#profile", "profile.write", "name email role"],
  ["Notifications", "profile#notifications", "profile.write", "email push events alerts"],
  ["Password", "profile#password", "profile.write", "change security"],
  ["Sessions", "profile#sessions", "profile.write", "sign out devices"],
  ["API Tokens", "profile#api-tokens", "profile.write", "access scopes"],
  ["Chat", "profile#chat", "profile.write", "enter sends preferences"],
  ["Groups", "members#groups", "members.manage", "teams"],
  ["Tools", "advanced#tools", "settings.manage", "approval policy"],
  ["Background Jobs", "system#background-jobs", "settings.manage", "queue"],
  [
    "Restore a backup",
    "system#backups",
    "backup.manage",
    "export import download upload move compact vacuum",
  ],
  ["Outgoing Calls", "system#outgoing-calls", "egress.manage", "egress allow private hosts network refused"],
];

/** Where a group's fields are, unless they are a card of Settings › Advanced. */
const HOMES: Partial<Record<GroupId, string>> = {
  rag: "/rag?panel=settings#rag-embedding-settings",
  recognition: "/rag?panel=settings#scanned-pages",
  guardrails: "/settings/guardrails",
  branding: "/settings/branding",
  organisation: "/settings/members#organization",
  routing: "/settings/providers#routing",
  backups: "/settings/system#backups",
} satisfies Record<Exclude<GroupId, (typeof ADVANCED_GROUPS)[number]>, string>;

export const SETTINGS_TARGETS: readonly SettingsTarget[] = [
  ...SETTINGS_TABS.map(({ id, label, needs }) => ({
    label,
    to: `/settings/${id}`,
    needs,
    keywords: "settings",
  })),
  ...CARDS.map(([label, to, needs, keywords]) => ({ label, to: `/settings/${to}`, needs, keywords })),
  ...SETTINGS_GROUPS.flatMap((group) => {
    const to = HOMES[group.id] ?? `/settings/advanced#${cardId(group.label)}`;
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
