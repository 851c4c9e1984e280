import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { countOf } from "~/ui/format";
import { Select } from "~/ui/input";
import { RadioCard } from "~/ui/radio-card";
import type { FormerMember } from "../former-members.schema";

interface LeftDocumentsChoiceProps {
  /** Who can be given them. */
  heirs: readonly { id: string; name: string }[];
  /** Whether they can be left as they are for now. */
  keep: boolean;
}

/** What becomes of documents whose creator leaves. */
export function LeftDocumentsChoice({ heirs, keep }: LeftDocumentsChoiceProps) {
  return (
    <fieldset className="mb-4 flex min-w-0 flex-col gap-2">
      <legend className="mb-2 font-medium text-sm">Their documents that only named members see</legend>
      {keep && (
        <RadioCard
          name="documents"
          value="keep"
          label="Keep them"
          hint="Those named go on seeing them. You can decide later, on this page."
          defaultChecked
        />
      )}
      {heirs.length > 0 && (
        <RadioCard
          name="documents"
          value="hand-over"
          label="Hand them over"
          hint="Whom you choose sees them and decides who else does. You can't choose yourself."
          defaultChecked={!keep}
        >
          <Field label="To" name="to">
            <Select>
              {heirs.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
        </RadioCard>
      )}
      <RadioCard
        name="documents"
        value="delete"
        label="Delete them"
        hint="For everybody who sees them. This can't be undone."
        defaultChecked={!keep && heirs.length === 0}
      />
    </fieldset>
  );
}

/** How many documents that is, for who may not know more. */
export const leftDocumentsWords = (documents: number) =>
  `${countOf(documents, "document")} that only named members see`;

/** People who left documents that nobody can decide on, with the way to do so. */
export function FormerMembersCard({ people }: { people: readonly FormerMember[] }) {
  if (people.length === 0) return null;
  return (
    <Card
      title="Documents of former members"
      description="Only named members see them, and nobody can change or delete them any more."
    >
      <ul className="flex flex-col divide-y divide-line">
        {people.map(({ id, name, documents }) => (
          <li
            key={id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0"
          >
            <div className="min-w-0">
              <p className="wrap-anywhere font-medium">{name}</p>
              <p className="text-muted text-xs">{leftDocumentsWords(documents)}</p>
            </div>
            <LinkButton
              to={`?dialog=documents&id=${encodeURIComponent(id)}`}
              preventScrollReset
              size="sm"
              aria-label={`Decide on the documents of ${name}`}
            >
              Decide
            </LinkButton>
          </li>
        ))}
      </ul>
    </Card>
  );
}
