// Without zod: screens load it.

/**
 * Why a call waits for a person: an admin's policy, the persona's setting, or content from outside that may mislead the
 * model.
 */
export const APPROVAL_REASONS = ["policy", "persona", "outside"] as const;
export type ApprovalReason = (typeof APPROVAL_REASONS)[number];

export const APPROVAL_REASON_TEXTS: Readonly<Record<ApprovalReason, string>> = {
  policy: "An admin requires approval for each call of this tool.",
  persona: "This persona asks before each call that writes or sends data outside.",
  outside:
    "This conversation contains content from outside, such as a web page, a document or an attachment. Such content can mislead a model into changing or sending data.",
};
