/** Headings over the tabs: whom or what a tab is about. */
export const SETTINGS_SECTIONS = ["Me", "Models", "Team", "Server"] as const;

/** The contract's six, then those by permission. */
export const SETTINGS_TABS = [
  { id: "branding", label: "Branding & Theme", section: "Team", needs: "settings.manage" },
  { id: "providers", label: "Providers", section: "Models", needs: "providers.manage" },
  { id: "advanced", label: "Advanced", section: "Server", needs: "settings.manage" },
  { id: "profile", label: "Profile", section: "Me", needs: "profile.write" },
  { id: "environment", label: "Environment", section: "Server", needs: "settings.manage" },
  { id: "keys", label: "API Keys", section: "Models", needs: "keys.manage" },
  { id: "guardrails", label: "Guardrails", section: "Models", needs: "settings.manage" },
  { id: "widgets", label: "Widgets", section: "Team", needs: "widgets.manage" },
  { id: "members", label: "Members", section: "Team", needs: "members.manage" },
  { id: "system", label: "System", section: "Server", needs: "settings.manage" },
] as const;

export type SettingsTab = (typeof SETTINGS_TABS)[number]["id"];

export function findTab(name: string | null): SettingsTab | undefined {
  const id = name === "api-keys" ? "keys" : name;
  return SETTINGS_TABS.find((tab) => tab.id === id)?.id;
}

export const cardId = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
