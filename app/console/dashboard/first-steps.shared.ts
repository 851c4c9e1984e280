/** One entry of the dashboard's checklist for a new console. */
export interface FirstStep {
  id: "chat" | "documents" | "provider" | "invite";
  title: string;
  description: string;
  to: string;
  done: boolean;
}
