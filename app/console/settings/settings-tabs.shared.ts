/** The contract's six, then two by permission. */
export const SETTINGS_TABS = [
  { id: "branding", label: "Branding & Theme", needs: "settings.manage" },
  { id: "providers", label: "Providers", needs: "providers.manage" },
  { id: "advanced", label: "Advanced", needs: "settings.manage" },
  { id: "profile", label: "Profile", needs: "profile.write" },
  { id: "environment", label: "Environment", needs: "settings.manage" },
  { id: "keys", label: "API Keys", needs: "keys.manage" },
  { id: "members", label: "Members", needs: "members.manage" },
  { id: "system", label: "System", needs: "settings.manage" },
] as const;

export type SettingsTab = (typeof SETTINGS_TABS)[number]["id"];

export function findTab(name: string | null): SettingsTab | undefined {
  const id = name === "api-keys" ? "keys" : name;
  return SETTINGS_TABS.find((tab) => tab.id === id)?.id;
}

export const cardId = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
