/** The screen of each kind of resource, by its id if it has an address. */
const SCREENS: Readonly<Record<string, (id: string) => string>> = {
  backup: () => "/settings/system",
  budget: () => "/usage/budgets",
  category: () => "/rag/categories",
  document: (id) => `/rag/${id}`,
  group: () => "/settings/members",
  key: () => "/settings/keys",
  model: () => "/settings/providers/models",
  persona: () => "/personas",
  plugin: () => "/extensions?tab=installed",
  prompt: () => "/prompts",
  provider: () => "/settings/providers",
  run: (id) => `/workflows/runs/${id}`,
  user: () => "/settings/members",
  workflow: (id) => `/workflows/${id}`,
};

export function resourceAddress(resource: string): string | undefined {
  const [kind = "", ...rest] = resource.split(":");
  const id = rest.join(":");
  return id && Object.hasOwn(SCREENS, kind) ? SCREENS[kind]?.(encodeURIComponent(id)) : undefined;
}
