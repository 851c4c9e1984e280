import { Form, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { FormFields } from "~/ui/form-fields";
import { Field, Select } from "~/ui/input";
import { POLICY_CHOICES } from "../model-options.shared";
import type { OfferedModel } from "../model-picker.shared";
import type { RoutingSettings } from "../model-settings.schema";
import { ModelPicker } from "./model-picker";

const FIELDS = {
  policy: {
    label: "Default policy",
    control: {
      kind: "cards",
      options: POLICY_CHOICES,
    },
  },
} as const;

interface RoutingCardProps extends RoutingSettings {
  models: readonly OfferedModel[];
  imageModels: readonly string[];
  /** Whether there are providers to choose from. */
  hasPolicy: boolean;
  version: number;
  action: string;
}

/** Chooses the routing policy for models that several providers serve, and the models for what nobody chose one. */
export function RoutingCard({
  policy,
  defaultModel,
  imageModel,
  models,
  imageModels,
  hasPolicy,
  version,
  action,
}: RoutingCardProps) {
  const navigation = useNavigation();
  return (
    <Form method="post" action={action} preventScrollReset key={version}>
      <input type="hidden" name="version" value={version} />
      <Card
        id="routing"
        title="Routing"
        description={
          hasPolicy
            ? "Which provider to try first when several offer a model. Failed requests fall back to the next one."
            : "With a second provider you choose here which one to try first."
        }
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
        <div className="flex flex-col gap-4">
          {hasPolicy ? (
            <FormFields fields={FIELDS} values={{ policy }} result={null} />
          ) : (
            <input type="hidden" name="policy" value={policy} />
          )}
          <Field
            label="Default model"
            name="defaultModel"
            hint="Choose the model of new chats for members who chose none"
          >
            <ModelPicker
              models={models}
              blank="None: each screen's own"
              defaultValue={defaultModel}
              className="sm:max-w-96"
            />
          </Field>
          {(imageModels.length > 0 || imageModel !== "") && (
            <Field
              label="Model for images"
              name="imageModel"
              hint="Choose the model that chats and workflows make images with"
            >
              <Select defaultValue={imageModel} className="sm:max-w-96">
                <option value="">None: the first that can be called</option>
                {[...new Set([...imageModels, ...(imageModel ? [imageModel] : [])])].map((id) => (
                  <option key={id} value={id}>
                    {imageModels.includes(id) ? id : `${id} (not available)`}
                  </option>
                ))}
              </Select>
            </Field>
          )}
        </div>
      </Card>
    </Form>
  );
}
