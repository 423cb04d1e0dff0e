//! Tests by topic. They compare the text before and after an operation.

mod edits;
mod front;
mod keeping;
mod laws;
mod links;
mod outline;
mod problems;
mod refactors;
mod sections;
mod symbols;
mod targets;
mod views;

const GUIDE: &str = "---
title: Guide
---

Before.

# Guide

What it is. And more.

## Install

Use `npm`.

```sh
npm i
```

### Linux

## Using `foo`

- one
- two
  - nested

### Install

| a | b |
|---|---|
| 1 | 2 |

# Guide

> ## Quoted
> text

[a]: ./b.md
";
