// Without zod: screens load it.

/** Why a call needs approval; `outside` is untrusted content in the conversation. */
export const APPROVAL_REASONS = ["policy", "persona", "offered", "outside"] as const;
export type ApprovalReason = (typeof APPROVAL_REASONS)[number];

export const APPROVAL_REASON_TEXTS: Readonly<Record<ApprovalReason, string>> = {
  policy: "An admin requires approval for each call of this tool.",
  persona: "This persona asks before each call that writes or sends data outside.",
  offered: "Nobody selected this tool for the conversation, and the call changes or sends data.",
  outside:
    "This conversation contains content from outside, such as a web page, a document or an attachment. Such content can mislead a model into changing or sending data.",
};
