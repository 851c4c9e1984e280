/** One entry of the dashboard's checklist for a new console. */
export interface FirstStep {
  id: "chat" | "documents" | "provider" | "invite";
  title: string;
  description: string;
  /** Where it is done. */
  to: string;
  done: boolean;
}
