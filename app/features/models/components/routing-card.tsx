import { Form, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { FormFields } from "~/ui/form-fields";
import type { RoutingPolicy } from "../models.schema";
import { POLICY_CHOICES } from "./policies";

const FIELDS = {
  policy: {
    label: "Default policy",
    control: {
      kind: "cards",
      options: POLICY_CHOICES.map(({ value, label, sentence }) => ({ value, label, hint: sentence })),
    },
  },
} as const;

interface RoutingCardProps {
  policy: RoutingPolicy;
  version: number;
  action: string;
}

/** Chooses the routing policy for models that several providers serve. */
export function RoutingCard({ policy, version, action }: RoutingCardProps) {
  const navigation = useNavigation();
  return (
    <Form method="post" action={action} preventScrollReset key={version}>
      <input type="hidden" name="version" value={version} />
      <Card
        id="routing"
        title="Routing"
        description="Which provider to try first when several offer a model. Failed requests fall back to the next one."
        footer={
          <Button
            size="sm"
            name="intent"
            value="save-policy"
            pending={navigation.formData?.get("intent") === "save-policy"}
          >
            Save Routing
          </Button>
        }
      >
        <FormFields fields={FIELDS} values={{ policy }} result={null} />
      </Card>
    </Form>
  );
}
