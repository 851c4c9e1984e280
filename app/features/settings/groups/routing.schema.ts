import { RoutingPolicy } from "~/features/models/models.schema";
import { choice } from "./field.schema";
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
  },
});
