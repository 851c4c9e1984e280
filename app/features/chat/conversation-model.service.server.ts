import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import { listModels } from "~/features/models/models.service.server";
import type { ModelChoice } from "~/features/settings/settings.schema";
import { chooseModel } from "~/features/settings/settings.service.server";
import { updateConversation } from "./chat.repo.server";
import { requireConversation } from "./chat.service.server";

/**
 * Chooses the model that continues with a conversation. On the chat's screen there is one model, which its own picker
 * and the header's both show and change: the conversation's; for a new one the person's choice, else the chat's
 * default; with a persona the persona's, until another is chosen. A choice in either is also the person's own for what
 * they begin next.
 * @throws AppError `invalid` for a model that can't be called, `not_found` for a foreign conversation
 */
export function chooseConversationModel(actor: Actor, id: string, choice: ModelChoice): void {
  authorise(actor, "chat.use");
  if (!listModels(actor).some((model) => model.id === choice.model)) {
    const message = `${choice.model} isn't available. Select another model.`;
    throw new AppError("invalid", message, { fields: { model: [message] } });
  }
  transaction((tx) => {
    requireConversation(actor, id);
    updateConversation(tx, id, { model: choice.model });
    chooseModel(actor, choice);
  });
}
