import { useNavigation } from "@remix-run/react";
import { Eye, EyeOff } from "lucide-react";
import { type ComponentPropsWithRef, useRef, useState } from "react";
import { IconButton } from "~/ui/button";
import { useFocusFirstError } from "~/ui/dialog";
import type { Result } from "~/ui/form-result";
import { useHydrated } from "~/ui/hydration";
import { Field, Input } from "~/ui/input";
import { inputProps, type ServerField, serverForm } from "~/ui/server-form";
import { PASSWORD_MAX, PASSWORD_MIN } from "../members.shared";

export function useTextForm<Name extends string>(
  id: string,
  result: Result,
  defaults?: Partial<Record<Name, string>>,
) {
  const [form, fields] = serverForm<Name>({ id, lastResult: result, defaultValue: defaults });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const navigation = useNavigation();
  const posted = navigation.state !== "idle" && navigation.formMethod === "POST";
  return { form, fields, element, pending: posted, intent: navigation.formData?.get("intent") };
}

/** For a code of an authenticator app; browsers fill it in. */
export function CodeField({ field, hint }: { field: ServerField; hint?: string }) {
  return (
    <Field label="Code" id={field.id} error={field.errors} hint={field.errors ? undefined : hint} required>
      <Input
        {...inputProps(field, "text")}
        autoFocus
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={40}
        className="font-mono"
      />
    </Field>
  );
}

interface PasswordFieldProps {
  field: ServerField;
  label?: string;
  autoFocus?: boolean;
  /** Whether a new password is chosen. */
  isNew?: boolean;
}

export function PasswordField({ field, label = "Password", autoFocus, isNew = false }: PasswordFieldProps) {
  const hint = isNew && !field.errors ? `Use at least ${PASSWORD_MIN} characters` : undefined;
  return (
    <Field label={label} id={field.id} error={field.errors} hint={hint} required>
      <PasswordInput
        {...inputProps(field, "password")}
        // Emptied by a refusal of the whole form, after which the focus goes there.
        data-retype=""
        autoFocus={autoFocus}
        autoComplete={isNew ? "new-password" : "current-password"}
        maxLength={isNew ? PASSWORD_MAX : undefined}
      />
    </Field>
  );
}

function PasswordInput(props: Omit<ComponentPropsWithRef<"input">, "type"> & { "data-retype": "" }) {
  const hydrated = useHydrated();
  const [isVisible, setVisible] = useState(false);
  return (
    <span className="relative flex">
      <Input {...props} type={isVisible ? "text" : "password"} className="pr-10 pointer-coarse:pr-12" />
      {/* On plain pages a script of root.tsx reveals it. */}
      <span
        data-show-password=""
        hidden={!hydrated}
        className="absolute inset-y-0 right-0.5 flex items-center"
      >
        <IconButton
          type="button"
          label={isVisible ? "Hide password" : "Show password"}
          icon={isVisible ? <EyeOff /> : <Eye />}
          onClick={() => setVisible(!isVisible)}
        />
      </span>
    </span>
  );
}
