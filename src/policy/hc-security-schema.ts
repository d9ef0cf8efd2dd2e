/**
 * The schema of hc's security context: fields and rules as the API server has them for a container.
 */
import { choice, flag, integer, list, object, text } from "./schema-builder.ts";

const profile = (description: string) =>
  object(
    description,
    {
      type: choice("Which.", ["RuntimeDefault", "Localhost", "Unconfined"]),
      localhostProfile: text("The node's profile; with Localhost only."),
    },
    ["type"],
    [
      {
        cel: "(self.type == 'Localhost') == has(self.localhostProfile)",
        message: "needs localhostProfile with Localhost, and only then",
        isBroken: ({ type, localhostProfile }) => (type === "Localhost") !== (localhostProfile !== undefined),
      },
    ],
  );

/** The largest id of a user or a group. */
const MAX_ID = 2_147_483_647;

/** What hc may, instead of the least that the restricted Pod Security profile leaves it. */
export const securityContext = object(
  "securityContext of hc, instead of the restricted one; fields as in a container.",
  {
    allowPrivilegeEscalation: flag("Whether a process may gain privileges."),
    privileged: flag("Whether hc runs as root on the node."),
    readOnlyRootFilesystem: flag("Whether the root file system is read-only."),
    runAsNonRoot: flag("Whether the kubelet refuses root."),
    runAsUser: integer("User id.", 0, MAX_ID),
    runAsGroup: integer("Group id.", 0, MAX_ID),
    capabilities: object("Capabilities.", {
      add: list("To add.", text("A capability.", { minLength: 1 })),
      drop: list("To drop.", text("A capability.", { minLength: 1 })),
    }),
    seccompProfile: profile("seccomp profile."),
    appArmorProfile: profile("AppArmor profile."),
    seLinuxOptions: object("SELinux labels.", {
      user: text("User."),
      role: text("Role."),
      type: text("Type."),
      level: text("Level."),
    }),
  },
  [],
  [
    {
      cel: "!has(self.runAsNonRoot) || !self.runAsNonRoot || !has(self.runAsUser) || self.runAsUser != 0",
      message: "has runAsNonRoot and runAsUser 0, which exclude each other",
      isBroken: ({ runAsNonRoot = false, runAsUser }) => runAsNonRoot && runAsUser === 0,
    },
    {
      cel: "!has(self.allowPrivilegeEscalation) || self.allowPrivilegeEscalation || !((has(self.privileged) && self.privileged) || (has(self.capabilities) && has(self.capabilities.add) && self.capabilities.add.exists(name, name in ['SYS_ADMIN', 'CAP_SYS_ADMIN'])))",
      message: "is privileged and has allowPrivilegeEscalation false, which exclude each other",
      isBroken: ({ allowPrivilegeEscalation, privileged = false, capabilities }) =>
        allowPrivilegeEscalation === false &&
        (privileged || (capabilities?.add ?? []).some((name) => name === "SYS_ADMIN" || name === "CAP_SYS_ADMIN")),
    },
  ],
);
