import { useId } from "react";
import { ChoiceList, RadioCard } from "~/ui/choice";
import { FieldError } from "~/ui/input";
import { VISIBILITY_LABELS } from "./modes";

interface PersonaSharingProps {
  groups: readonly { id: string; name: string }[];
  visibility: string;
  chosen: readonly string[];
  errors: string[] | undefined;
}

export function PersonaSharing({ groups, visibility, chosen, errors }: PersonaSharingProps) {
  const legend = useId();
  const error = useId();
  return (
    <fieldset
      aria-labelledby={legend}
      aria-describedby={errors?.[0] ? error : undefined}
      className="group/sharing flex min-w-0 flex-col gap-2"
    >
      <span id={legend} className="font-medium text-ink text-sm">
        Visibility
      </span>
      <div className="grid gap-2 sm:grid-cols-3">
        {Object.entries(VISIBILITY_LABELS).map(([value, { label, hint }]) => (
          <RadioCard
            key={value}
            name="visibility"
            value={value}
            label={label}
            hint={hint}
            defaultChecked={visibility === value}
          />
        ))}
      </div>
      <div className="hidden group-has-[[value=groups]:checked]/sharing:block">
        <ChoiceList
          label="Groups that see the persona"
          name="groups"
          options={groups}
          chosen={chosen}
          empty="There are no groups yet. Admins can add them under Members."
        />
      </div>
      {errors?.[0] && <FieldError id={error}>{errors[0]}</FieldError>}
    </fieldset>
  );
}
