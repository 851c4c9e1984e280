import { listModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import type { ModelChoice } from "~/platform/settings/settings.schema";
import { updateConversation } from "./chat.repo.server";
import { requireConversation } from "./chat.service.server";

/**
 * Sets the model of this conversation alone.
 * @throws AppError `invalid` for an unavailable model, `not_found` for another person's conversation
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
  });
}
