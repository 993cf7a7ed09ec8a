//===- Pch.cpp - anchor of the precompiled header -------------------------===//
