/** The tools of the AI Chat panel. */
export const PANEL_TOOLS = ["web.fetch", "qdrant.search", "http.request"];
