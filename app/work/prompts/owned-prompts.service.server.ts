import type { Ownership } from "~/platform/catalogue/ownership";
import { changePromptAuthor, countPromptsOf, deletePromptsOf } from "./prompts.repo.server";

export const ownedPrompts: Ownership = {
  kind: "prompts",
  noun: "prompts",
  label: "Prompts",
  hint: "Transfer to a member other than yourself, or delete.",
  permission: "prompts.write",
  isPrivate: true,
  count: countPromptsOf,
  apply: (tx, owner, { recipient }) =>
    recipient === undefined ? deletePromptsOf(tx, owner) : changePromptAuthor(tx, owner, recipient),
};
