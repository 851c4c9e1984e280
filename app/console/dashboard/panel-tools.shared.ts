/** The tools of the AI Chat panel, and those of them that ask before a call that changes or sends data. */
export const PANEL_TOOLS = ["web.fetch", "qdrant.search", "http.request"];
export const PANEL_OFFERED = ["http.request"];
