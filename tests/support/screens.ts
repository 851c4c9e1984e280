/** Every signed-in screen with its heading, open dialogs included. */
export const SCREENS: readonly (readonly [path: string, heading: string])[] = [
  ["/", "Dashboard"],
  ["/chat", "AI Chat"],
  ["/compare", "Compare models"],
  ["/workflows", "Workflows"],
  ["/extensions", "Plugin Marketplace"],
  ["/personas", "Personas"],
  ["/personas?dialog=new", "Personas"],
  ["/rag", "RAG & Memory"],
  ["/audit", "Audit Log"],
  ["/search", "Search"],
  ["/settings/branding", "Settings"],
  ["/settings/providers", "Settings"],
  ["/settings/providers?dialog=add-provider", "Settings"],
  ["/settings/providers/models?dialog=add-model", "Settings"],
  ["/settings/providers/models?dialog=edit-model&model=gpt-4o", "Settings"],
  ["/settings/providers/catalogue", "Settings"],
  ["/settings/advanced", "Settings"],
  ["/settings/profile", "Settings"],
  ["/settings/profile?dialog=password", "Settings"],
  ["/settings/profile?dialog=new-token", "Settings"],
  ["/settings/environment", "Settings"],
  ["/settings/keys", "Settings"],
  ["/settings/keys?dialog=add-key", "Settings"],
  ["/settings/members", "Settings"],
  ["/settings/members?dialog=invite", "Settings"],
  ["/settings/system", "Settings"],
  ["/nothing", "404 Page Not Found"],
];

/** What is seen without being signed in. */
export const OPEN_SCREENS: readonly (readonly [path: string, heading: string])[] = [
  ["/", "Quarterdeck"],
  ["/login?local=1", "Sign in"],
  ["/waiting", ""],
  ["/docs/api", "API"],
  ["/nothing", "404 Page Not Found"],
];
