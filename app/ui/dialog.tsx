import { useNavigation } from "@remix-run/react";
import { type ReactNode, useEffect } from "react";
import { Button, LinkButton } from "./button";
import { cx } from "./class-names";
import { lazyPart, onFirstUse } from "./lazy-part";

const box = lazyPart(() => import("./dialog-box").then((module) => module.DialogBox), "dialog[open]");
onFirstUse(box.preload);

/** Loads its code on the first interaction with the page, or with a page that shows a dialog. */
export const Dialog = box.Part;

interface FormActionsProps {
  closeTo: string;
  intent: string;
  label: string;
  disabled?: boolean | undefined;
  withoutContent?: boolean;
}

export function FormActions({ closeTo, intent, label, disabled, withoutContent }: FormActionsProps) {
  const navigation = useNavigation();
  return (
    <DialogActions withoutContent={withoutContent}>
      <LinkButton to={closeTo} preventScrollReset>
        Cancel
      </LinkButton>
      <Button
        variant="primary"
        name="intent"
        value={intent}
        pending={navigation.formData?.get("intent") === intent}
        {...(disabled === undefined ? {} : { disabled })}
      >
        {label}
      </Button>
    </DialogActions>
  );
}

export function DialogActions({
  children,
  withoutContent,
}: {
  children: ReactNode;
  withoutContent?: boolean | undefined;
}) {
  return (
    <footer
      className={cx(
        "-mx-5 -mb-4 sticky bottom-[-1rem] short:static flex flex-wrap justify-end gap-2 bg-raised px-5 py-3",
        withoutContent ? "-mt-4" : "mt-5 border-line border-t",
      )}
    >
      {children}
    </footer>
  );
}

const CONTROL = "input:not([type=hidden]), select, textarea";

/** Moves to what the first error is about: its field, or the first control of its group. */
export function useFocusFirstError(form: React.RefObject<HTMLFormElement>, errors: unknown): void {
  useEffect(() => {
    if (!errors) return;
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector);
    const wrong = find('[aria-invalid="true"], p[role="alert"]');
    const group = wrong?.matches("p") ? wrong.closest("fieldset") : undefined;
    const field =
      group?.querySelector<HTMLElement>(CONTROL) ?? find('[aria-invalid="true"]') ?? find("[data-retype]");
    field?.focus({ preventScroll: true });
    // A dialog's buttons may lie over its end, where the message is.
    (wrong ?? field)?.scrollIntoView({ block: "center" });
  }, [form, errors]);
}
