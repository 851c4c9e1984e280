import { choice, text } from "~/core/field.schema";
import { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { defineGroup } from "./group.schema";

export const routing = defineGroup({
  id: "routing",
  label: "Routing",
  permission: "providers.manage",
  fields: {
    policy: choice(RoutingPolicy.options as ["priority", ...RoutingPolicy[]], "priority", {
      label: "Policy",
      hint: "Choose the order of providers for models without their own policy",
      appliedBy: "models",
    }),
    defaultModel: text("", {
      label: "Default model",
      hint: "Choose the model of new chats for members who chose none",
      max: 200,
      appliedBy: "models",
    }),
    imageModel: text("", {
      label: "Model for images",
      hint: "Choose the model that chats and workflows make images with",
      max: 200,
      appliedBy: "models",
    }),
  },
});
