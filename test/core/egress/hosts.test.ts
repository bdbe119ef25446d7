/** The host of an address, whatever hides it. */
import { expect, test } from "vitest";
import { hostOf, isLoopback, isOneOf, repositoryOf, scpHost } from "../../../src/core/egress/hosts";

test.each([
  ["https://a.example/x", "a.example"],
  ["HTTPS://A.Example:8443", "a.example"],
  ["https://user:pw@a.example", "a.example"],
  ["https://good.example@evil.example/", "evil.example"],
  ["https://a.example.", "a.example"],
  ["a.example:80/x", "a.example"],
  ["http://[::1]:80/", "::1"],
  ["http://bücher.example", "bücher.example"],
  ["http://evil.example\\@localhost/", null],
  ["http://%65vil.example", null],
  ["http://{a,b}.example", null],
  ["http://*.example", null],
  ["\u0001/x", null],
  ["http://\u0001.example", null],
  ["http://localhost:\u0001/x", "localhost"],
  ["", null],
])("%j is %j", (text, host) => {
  expect(hostOf(text)).toBe(host);
});

test.each([
  ["git@a.example:x/y", "a.example"],
  ["a.example:x", "a.example"],
  ["./x:y", undefined],
  ["C:\\x", undefined],
  ["x", undefined],
  ["user@[::1]:x", "::1"],
])("as ssh writes it: %j is %j", (text, host) => {
  expect(scpHost(text)).toBe(host);
});

test("one repository, one spelling", () => {
  const all = [
    "https://github.com/Acme/Shop.git",
    "git@github.com:acme/shop",
    "ssh://git@github.com/acme/shop/",
    "git+https://x@github.com/acme/shop.git",
    "https://github.com/acme/shop?x#y",
  ];
  expect([...new Set(all.map(repositoryOf))]).toEqual(["github.com/acme/shop"]);
  expect(repositoryOf("../shop")).toBeUndefined();
});

test.each(["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "0.0.0.0"])(
  "%s is loopback",
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);
test.each(["127.0.0.1.evil.example", "localhost.evil.example", "1270.0.0.1", "10.0.0.1", "evil"])(
  "%s is not",
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
test("patterns end at a dot", () => {
  expect(isOneOf("a.b.example", ["*.b.example"])).toBe(true);
  expect(isOneOf("b.example", ["*.b.example"])).toBe(false);
  expect(isOneOf("ab.example", ["*.b.example"])).toBe(false);
});
