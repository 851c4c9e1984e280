import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
import { Field, Select } from "~/ui/input";
import type { OwnedData } from "../offboarding.schema";

/** Nothing is preselected. */
export function OffboardingFields({ owned }: { owned: readonly OwnedData[] }) {
  return (
    <div className="mb-4 flex flex-col gap-4">
      {owned.map(({ kind, label, hint, count, recipients }) => (
        <Field key={kind} label={`${label} (${formatCount(count)})`} name={kind} hint={hint} required>
          <Select defaultValue="" required>
            <option value="">Choose…</option>
            {recipients.map(({ id, name }) => (
              <option key={id} value={id}>
                Transfer to {name}
              </option>
            ))}
            <option value="delete">Delete</option>
          </Select>
        </Field>
      ))}
    </div>
  );
}

/** @param refusal why one can't leave */
export function LeaveCard({ refusal }: { refusal: string | undefined }) {
  return (
    <Card
      id="leave-organization"
      title="Leave Organization"
      description="Remove your account and decide what happens to what you own."
      footer={
        refusal ? (
          <p className="text-muted text-sm">{refusal}</p>
        ) : (
          <LinkButton to="?dialog=leave" preventScrollReset>
            Leave Organization
          </LinkButton>
        )
      }
    />
  );
}
