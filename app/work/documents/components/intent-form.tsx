import { Form, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/input";

export interface IntentFormProps {
  intent: string;
  values?: Record<string, string>;
  /** The page's own address by default. */
  action?: string;
  isBusy?: boolean;
  size?: "sm";
  icon?: ReactNode;
  children: ReactNode;
}

/** A form of one button. */
export function IntentForm({ intent, values = {}, action, isBusy, children, ...button }: IntentFormProps) {
  const { formData } = useNavigation();
  const isSent =
    formData?.get("intent") === intent &&
    Object.entries(values).every(([field, value]) => formData.get(field) === value);
  return (
    <Form method="post" preventScrollReset {...(action ? { action } : {})}>
      <HiddenFields values={values} />
      <Button name="intent" value={intent} pending={isBusy || isSent} {...button}>
        {children}
      </Button>
    </Form>
  );
}
