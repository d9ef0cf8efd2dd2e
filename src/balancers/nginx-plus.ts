/**
 * NGINX Plus; the open NGINX has no active health checks.
 */
import { block, keepsSessions, type LbProfile } from "./profile.ts";

/** NGINX Plus with active health checks. */
export const nginxPlus: LbProfile = {
  ...keepsSessions,
  doc: "NGINX Plus with active health checks",
  checkInterval: 5,
  checkFall: 1,
  settings: (check) => [
    block("NGINX Plus", "nginx", [
      "match gracegate_open { status 200; }",
      "location / {",
      "    proxy_pass http://gateways;",
      `    health_check port=${check.nodePort} uri=${check.path} match=gracegate_open`,
      `                 interval=${check.interval} fails=${check.fall} passes=${check.rise};`,
      "}",
    ]),
  ],
};
