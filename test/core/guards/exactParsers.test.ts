import { describe, expect, test } from "vitest";
import { hasExactParser, postgresCousin } from "../../../src/core/guards/exactParsers";
import { dialectOfUrl } from "../../../src/core/guards/registry";
import { findDialect } from "../../../src/core/sql/dialects";

describe("whose own parser it is", () => {
  test.each([
    ["postgres", true],
    ["PostgreSQL", true],
    ["timescaledb", true],
    ["postgis", true],
    ["sqlite3", true],
    ["cockroachdb", false],
    ["cockroach", false],
    ["yugabyte", false],
    ["greenplum", false],
    ["redshift", false],
    ["libsql", false],
    ["turso", false],
    ["duckdb", false],
    ["mysql", false],
    ["mariadb", false],
    ["constructor", false],
    ["", false],
  ])("%s: %s", (name, expected) => {
    expect(hasExactParser(name)).toBe(expected);
  });
});

describe("what a PostgreSQL URL really leads to", () => {
  test.each([
    ["postgres://root@localhost:26257/defaultdb", "cockroachdb"],
    ["postgresql://a:p@ss@free-tier.aws-eu-west-1.cockroachlabs.cloud/d?sslmode=require", "cockroachdb"],
    ["postgres://h1:26257,h2:26257/d", "cockroachdb"],
    ["postgres://a@x.abc.eu-west-1.redshift.amazonaws.com/dev", "redshift"],
    ["postgres://a@h:5439/dev", "redshift"],
    ["postgres://a@u-1.aws.yugabyte.cloud:5433/yb", "yugabyte"],
    ["postgres://owner@127.0.0.1:5432/app", undefined],
    ["postgres://db.x.eu-west-1.rds.amazonaws.com/app", undefined],
    ["postgres://26257:26257@localhost/app", undefined],
    ["postgres://localhost/x.cockroachlabs.cloud", undefined],
    ["mysql://localhost:26257/x", undefined],
    ["postgres://", undefined],
    ["", undefined],
  ])("%s → %s", (url, expected) => {
    expect(postgresCousin(url)).toBe(expected);
    if (url.startsWith("postgres")) {
      expect(dialectOfUrl(url)).toBe(expected ?? "postgres");
      // A name that nobody knows would have the text judged under every dialect.
      expect(findDialect(dialectOfUrl(url))).toBeDefined();
    }
  });
});
