/** The tools of the AI Chat panel, and those of them that ask before a call that changes or sends data. */
export const PANEL_TOOLS = ["web.fetch", "qdrant.search", "http.request"];
export const PANEL_OFFERED = ["http.request"];

/** One entry of the dashboard's checklist for a new console. */
export interface FirstStep {
  id: "chat" | "documents" | "provider" | "invite";
  title: string;
  description: string;
  to: string;
  done: boolean;
}
