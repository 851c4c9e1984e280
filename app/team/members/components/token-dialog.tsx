import { ROLE_LABELS, type Role } from "~/core/actor";
import { LinkButton } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { Dialog, DialogActions } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import { type Result, submittedText } from "~/ui/form-result";
import { Field, FieldError, Input, Select, Textarea } from "~/ui/input";
import { OneTimeSecret } from "~/ui/one-time-secret";
import { RadioCard } from "~/ui/radio-card";
import { serverForm } from "~/ui/server-form";
import { TOKEN_DAYS_MAX, TOKEN_PRESETS, TOKEN_RATE_MAX } from "../members.shared";
import type { NewApiToken, TokenScope } from "../tokens.schema";
import { GatewayAddresses } from "./tokens-card";

interface TokenDialogProps {
  closeTo: string;
  roles: Role[];
  scopes: readonly TokenScope[];
  result: Result;
  created?: NewApiToken | undefined;
  origin: string;
}

export function TokenDialog({ created, origin, ...props }: TokenDialogProps) {
  if (!created) return <NewTokenDialog {...props} />;
  return (
    <Dialog title={created.name} closeTo={props.closeTo}>
      <OneTimeSecret
        title="Copy this token now. It won't be shown again."
        label="Token"
        value={created.token}
        hint="Send it as Authorization: Bearer …"
      />
      {created.scopes.includes("gateway.use") && (
        <section className="mt-4">
          <h3 className="mb-2 font-medium text-sm">Endpoints</h3>
          <GatewayAddresses origin={origin} />
        </section>
      )}
      <DialogActions>
        <LinkButton to={props.closeTo} preventScrollReset>
          Done
        </LinkButton>
      </DialogActions>
    </Dialog>
  );
}

type TokenField = "name" | "preset" | "role" | "scopes" | "expiresInDays" | "models" | "requestsPerMinute";

function NewTokenDialog({ closeTo, roles, scopes, result }: Omit<TokenDialogProps, "created" | "origin">) {
  const [form, fields] = serverForm<TokenField>({ id: "token", lastResult: result });
  const submitted: Record<string, unknown> = form.initialValue ?? {};
  const guardrails = (submitted.guardrails ?? {}) as Record<string, unknown>;
  const checkedScopes = [submitted.scopes].flat();
  const presets = Object.entries(TOKEN_PRESETS).filter(([, preset]) =>
    preset.scopes.every((scope) => scopes.some(({ name }) => name === scope)),
  );
  const chosen = submittedText(submitted.preset) || presets[0]?.[0] || "custom";
  // Errors of single lines are keyed by the line.
  const modelErrors = Object.entries(form.allErrors).find(([name]) => /^models\b/.test(name))?.[1];
  return (
    <FormDialog
      title="New API Token"
      description="Tokens never exceed your own permissions."
      closeTo={closeTo}
      result={result}
      form={{ className: "group/token" }}
      intent="create-token"
      label="Create Token"
    >
      <Field
        label="Name"
        name="name"
        error={fields.name?.errors}
        required
        hint="Enter a name such as CI pipeline"
      >
        <Input defaultValue={submittedText(submitted.name)} autoComplete="off" />
      </Field>
      <fieldset>
        <legend className="mb-1 font-medium text-sm">Use</legend>
        <div className="grid gap-2 sm:grid-cols-3">
          {presets.map(([name, { label, hint }]) => (
            <RadioCard
              key={name}
              name="preset"
              value={name}
              label={label}
              hint={hint}
              defaultChecked={chosen === name}
            />
          ))}
          <RadioCard
            name="preset"
            value="custom"
            label="Custom"
            hint="Permissions that you tick"
            defaultChecked={chosen === "custom"}
          />
        </div>
      </fieldset>
      <fieldset
        className="hidden group-has-[[value=custom]:checked]/token:block"
        aria-describedby={fields.scopes?.errors ? "scopes-error" : undefined}
      >
        <legend className="font-medium text-sm">Permissions</legend>
        {fields.scopes?.errors?.[0] && <FieldError id="scopes-error">{fields.scopes.errors[0]}</FieldError>}
        <div className="mt-1 grid gap-x-4 sm:grid-cols-2">
          {scopes.map(({ name, label }) => (
            <Checkbox
              key={name}
              id={`scope-${name}`}
              name="scopes"
              value={name}
              label={label}
              hint={name}
              defaultChecked={checkedScopes.includes(name)}
            />
          ))}
        </div>
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Role" name="role" error={fields.role?.errors}>
          <Select defaultValue={submittedText(submitted.role)}>
            <option value="">The lowest that it needs</option>
            {roles.map((role) => (
              <option key={role} value={role}>
                {ROLE_LABELS[role]}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          label="Expiry (days)"
          name="expiresInDays"
          error={fields.expiresInDays?.errors}
          hint={`Leave blank for no expiry. At most ${TOKEN_DAYS_MAX}.`}
        >
          <Input
            defaultValue={
              submitted.expiresInDays === undefined ? "90" : submittedText(submitted.expiresInDays)
            }
            inputMode="numeric"
          />
        </Field>
      </div>
      {scopes.some(({ name }) => name === "gateway.use") && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Models"
            name="models"
            error={modelErrors}
            hint="Enter one model ID per line, or leave blank for all models"
          >
            <Textarea rows={3} defaultValue={submittedText(submitted.models)} spellCheck={false} />
          </Field>
          <Field
            label="Requests per minute"
            name="requestsPerMinute"
            error={fields.requestsPerMinute?.errors}
            hint={`Leave blank for no limit. At most ${TOKEN_RATE_MAX.toLocaleString("en-US")}.`}
          >
            <Input defaultValue={submittedText(submitted.requestsPerMinute)} inputMode="numeric" />
          </Field>
          <Field
            label="Blocked words and phrases"
            name="guardrails.blocked"
            error={form.allErrors["guardrails.blocked"]}
            hint="Enter one a line, in addition to the organization's"
          >
            <Textarea rows={3} defaultValue={submittedText(guardrails.blocked)} spellCheck={false} />
          </Field>
          <fieldset>
            <legend className="font-medium text-sm">Guardrails</legend>
            <Checkbox
              name="guardrails.maskPii"
              label="Mask personal data"
              hint="In its requests"
              defaultChecked={guardrails.maskPii === "on"}
            />
            <Checkbox
              name="guardrails.moderate"
              label="Moderate"
              hint="Its requests and answers"
              defaultChecked={guardrails.moderate === "on"}
            />
          </fieldset>
        </div>
      )}
    </FormDialog>
  );
}
