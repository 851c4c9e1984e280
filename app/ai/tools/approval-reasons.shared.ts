// Without zod: screens load it.

/**
 * Why a call needs approval: `outside` is untrusted content in the conversation, `interrupted` a restart during the call.
 */
export const APPROVAL_REASONS = ["policy", "persona", "offered", "outside", "interrupted"] as const;
export type ApprovalReason = (typeof APPROVAL_REASONS)[number];

export const APPROVAL_REASON_TEXTS: Readonly<Record<ApprovalReason, string>> = {
  policy: "An admin requires approval for each call of this tool.",
  persona: "This persona asks before each call that writes or sends data outside.",
  offered: "Nobody selected this tool for the conversation, and the call changes or sends data.",
  outside:
    "This conversation contains content from outside, such as a web page, a document or an attachment. Such content can mislead a model into changing or sending data.",
  interrupted:
    "The console restarted while this call ran, so it may have taken effect. Check before you run it again.",
};
