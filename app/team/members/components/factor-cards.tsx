import { KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { countOf } from "~/ui/format";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { Passkey, SecondFactor } from "../second-factor.schema";

/** Of the dialogs that change how one signs in, by their name in the address. */
export const FACTOR_TITLES: Record<string, string> = {
  authenticator: "Set Up Authenticator App",
  "remove-authenticator": "Turn Off Authenticator App",
  "recovery-codes": "New Recovery Codes",
  passkey: "Add Passkey",
  "rename-passkey": "Rename Passkey",
  "remove-passkey": "Remove Passkey",
};

export function AuthenticatorCard({ factor }: { factor: SecondFactor }) {
  const isOn = factor.authenticator;
  return (
    <Card
      id="authenticator"
      title="Authenticator App"
      description="Ask for a code after the password"
      actions={
        isOn ? (
          <div className="flex flex-wrap gap-2">
            <LinkButton to="?dialog=recovery-codes" preventScrollReset size="sm">
              New Recovery Codes
            </LinkButton>
            <LinkButton to="?dialog=remove-authenticator" preventScrollReset size="sm">
              Turn Off
            </LinkButton>
          </div>
        ) : (
          <LinkButton to="?dialog=authenticator" preventScrollReset size="sm">
            Set Up
          </LinkButton>
        )
      }
    >
      {isOn ? (
        <p className="flex flex-wrap items-center gap-2 text-muted">
          <Badge tone="success">On</Badge>
          {factor.recoveryCodes === 0
            ? "No recovery codes left. Create new ones."
            : `${countOf(factor.recoveryCodes, "recovery code")} left`}
        </p>
      ) : (
        <p className="text-muted">Not set up. Your password alone signs you in.</p>
      )}
    </Card>
  );
}

const dialogOf = (name: string, { id }: Passkey) => `?dialog=${name}&id=${encodeURIComponent(id)}`;

interface PasskeysCardProps {
  passkeys: readonly Passkey[];
  /** Whether the console's address allows passkeys. */
  isAvailable: boolean;
  /** Whether the person can also sign in with a password and nothing else. */
  isOptional: boolean;
}

export function PasskeysCard({ passkeys, isAvailable, isOptional }: PasskeysCardProps) {
  return (
    <Card
      id="passkeys"
      title="Passkeys"
      description="Sign in with your device instead of a password and a code"
      actions={
        isAvailable && (
          <LinkButton to="?dialog=passkey" preventScrollReset size="sm" icon={<Plus aria-hidden="true" />}>
            Add Passkey
          </LinkButton>
        )
      }
    >
      {passkeys.length === 0 ? (
        <p className="flex items-center gap-2 text-muted">
          <KeyRound aria-hidden="true" className="size-4 shrink-0" />
          {isAvailable
            ? "No passkeys yet"
            : "Passkeys need HTTPS and a host name. Open the console at its public address."}
        </p>
      ) : (
        <>
          {isOptional && (
            <p className="pb-4 text-muted">
              Your password alone still signs you in. Set up an authenticator app to be asked for a code after
              it.
            </p>
          )}
          <RowList label="Passkeys" flush>
            {passkeys.map((passkey) => (
              <Row
                key={passkey.id}
                name={passkey.name}
                icon={<KeyRound aria-hidden="true" />}
                meta={
                  <>
                    Added <RelativeTime at={passkey.createdAt} style="date" /> ·{" "}
                    {passkey.lastUsedAt ? (
                      <>
                        last used <RelativeTime at={passkey.lastUsedAt} style="running" />
                      </>
                    ) : (
                      "never used"
                    )}
                  </>
                }
                actions={[
                  { label: "Rename", icon: <Pencil />, to: dialogOf("rename-passkey", passkey) },
                  { label: "Remove", icon: <Trash2 />, to: dialogOf("remove-passkey", passkey) },
                ]}
              />
            ))}
          </RowList>
        </>
      )}
    </Card>
  );
}
