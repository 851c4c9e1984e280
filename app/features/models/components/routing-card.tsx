import { Form, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { RadioCard } from "~/ui/radio-card";
import type { RoutingPolicy } from "../models.schema";
import { POLICY_CHOICES } from "./policies";

interface RoutingCardProps {
  policy: RoutingPolicy;
  /** Of the settings that it shows. */
  version: number;
  /** Where the form posts to. */
  action: string;
}

/** Chooses who is asked first where several providers serve a model. */
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
        <fieldset className="grid gap-2 sm:grid-cols-2 xl:grid-cols-4">
          <legend className="sr-only">Default policy</legend>
          {POLICY_CHOICES.map(({ value, label, sentence }) => (
            <RadioCard
              key={value}
              name="policy"
              value={value}
              label={label}
              hint={sentence}
              defaultChecked={value === policy}
            />
          ))}
        </fieldset>
      </Card>
    </Form>
  );
}
