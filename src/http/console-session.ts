import * as z from "zod";
import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { jsonObject } from "../domain/fields.ts";
import { ACCESS_HEADER, type AccessSettings } from "../domain/operations/access-token.ts";
import {
  type ConsoleSessionAnswer,
  consoleSessionSchema,
  readCookie,
  SESSION_SECONDS,
  writeCookie,
} from "../domain/operations/session.ts";
import { readVisitor, signInByAccess } from "../flows/operations/access-sign-in.ts";
import { readSession, signIn } from "../flows/operations/operator-sessions.ts";
import { equalHashes, sha256Hex } from "../platform/secrets.ts";
import { type Session, signOut } from "../store/operations/operator-sessions.ts";
import { type ApiRequest, addressOf } from "./api-request.ts";
import { BODY_LIMITS, readFields } from "./body.ts";
import { call, jsonBody, ok, type Resource } from "./call.ts";
import { TIME } from "./examples.ts";
import { requireOperatorToken, requireOwnOrigin } from "./require-operator.ts";
import { toTime } from "./time.ts";

const signInSchema = jsonObject({
  token: z
    .string("must be the token of an operator")
    .describe("A token of `POST /operator/tokens`: it has a name and a role."),
});

const consoleAnswers = { ConsoleSession: consoleSessionSchema };

const COMMON = { path: "/console/session", tag: "Operators", access: "open" } as const;

const FIRST =
  "OPERATOR_TOKEN does not sign in: a session has the name of a token. Make one with: npm run operator -- create-token <name>";

const create = call<z.ZodType>({
  ...COMMON,
  id: "signIn",
  method: "POST",
  summary: "Sign in to the console",
  description:
    "Takes a named token. The answer sets the cookie `__Host-session`, which no script can read, and which a browser sends to this origin only. The session gives access to the operator's calls for 12 hours, or until it is ended or its token is revoked.",
  body: jsonBody(signInSchema, BODY_LIMITS.settings, { token: { token: `op_${"0123456789abcdef".repeat(4)}` } }),
  answers: [{ status: 204, description: "Signed in: the cookie is set." }],
  errors: ["path-unknown", "credentials-wrong", "guesses-exceeded", "origin-foreign", "store-unavailable"],
  run: async (request, deps) => {
    const operatorToken = requireOperatorToken(deps);
    requireOwnOrigin(request);
    const { token } = await readFields(request, signInSchema, BODY_LIMITS.settings);
    const address = addressOf(request);
    const signedIn = await signIn(deps, token.trim(), { address, requestId: request.requestId });
    if (signedIn === undefined) {
      const isFirst = equalHashes(await sha256Hex(token.trim()), await sha256Hex(operatorToken));
      const message = isFirst ? FIRST : "This is no token of an operator, or it has ended.";
      throw new RequestFailure({ kind: "credentials-wrong", message });
    }
    request.operator = signedIn.operator.name;
    return noContent(writeCookie(signedIn.secret, SESSION_SECONDS));
  },
});

const read = call({
  ...COMMON,
  id: "readSession",
  method: "GET",
  summary: "Read who is signed in to the console",
  description:
    "Answers 200 to anyone. If there is no session, or it has ended, `session` is null. With `ACCESS_TEAM_DOMAIN` and `ACCESS_AUD`, whoever has signed in to Cloudflare Access is signed in as the operator whose name is their e-mail address, and gets the cookie as with a token: the header `Cf-Access-Jwt-Assertion` says who it is.",
  answers: [
    ok(consoleAnswers.ConsoleSession, "The session, or null.", {
      session: { operator: "ada", role: "operator", expiresAt: TIME },
    }),
  ],
  errors: ["path-unknown", "guesses-exceeded", "origin-foreign", "store-unavailable"],
  run: async (request, deps) => {
    requireOperatorToken(deps);
    const session = await sessionOf(request, deps);
    const jwt = deps.config.access && request.headers.get(ACCESS_HEADER);
    const visitor = jwt ? await readVisitor(deps, deps.config.access as AccessSettings, jwt, request.requestId) : null;
    if (visitor && visitor.email !== session?.operator) {
      if (visitor.email !== null) return answerVisitor(request, deps, visitor.email);
      if (session === undefined) return { session: null, access: visitor };
    }
    if (session === undefined) return { session: null };
    const { operator, role, endsAt } = session;
    return { session: { operator, role, expiresAt: toTime(endsAt) } };
  },
});

/** Who has signed in to Access is nobody else here, whatever cookie the browser still has. */
async function answerVisitor(request: ApiRequest, deps: Deps, email: string): Promise<Response> {
  requireOwnOrigin(request);
  const signedIn = await signInByAccess(deps, email, request.requestId);
  const unknown = { session: null, access: { email, fault: "operator-unknown" } } satisfies ConsoleSessionAnswer;
  if (signedIn === undefined) return Response.json(unknown);
  const { operator, secret } = signedIn;
  request.operator = operator.name;
  const expiresAt = toTime(deps.now() + SESSION_SECONDS * 1000);
  const answer = {
    session: { operator: operator.name, role: operator.role, expiresAt },
  } satisfies ConsoleSessionAnswer;
  return Response.json(answer, { headers: { "Set-Cookie": writeCookie(secret, SESSION_SECONDS) } });
}

const end = call<z.ZodType>({
  ...COMMON,
  id: "signOut",
  method: "DELETE",
  summary: "Sign out of the console",
  description: "Ends the session in the service, so a copy of the cookie is worth nothing afterwards. Safe to repeat.",
  answers: [{ status: 204, description: "Signed out: the cookie is removed." }],
  errors: ["path-unknown", "guesses-exceeded", "origin-foreign", "store-unavailable"],
  run: async (request, deps) => {
    requireOperatorToken(deps);
    requireOwnOrigin(request);
    const session = await sessionOf(request, deps);
    if (session !== undefined) await signOut(deps.db, session.sessionId);
    return noContent(writeCookie("", 0));
  },
});

async function sessionOf(request: ApiRequest, deps: Deps): Promise<Session | undefined> {
  const cookie = readCookie(request.headers.get("Cookie"));
  const session = cookie === undefined ? undefined : await readSession(deps, cookie, addressOf(request));
  if (session) request.operator = session.operator;
  return session;
}

const noContent = (cookie: string) => new Response(null, { status: 204, headers: { "Set-Cookie": cookie } });

export const consoleSession: Resource = {
  calls: [create, read, end],
  schemas: { SignInRequest: signInSchema, ...consoleAnswers },
};
