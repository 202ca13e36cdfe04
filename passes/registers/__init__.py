"""Passes on registers: conversion to and from SSA form, and vector coalescing."""
