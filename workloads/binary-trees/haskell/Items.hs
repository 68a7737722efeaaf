-- Without these flags the optimizer may not do the work; see Node.hs.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}

-- | The node of C4's time: it has an item, 2i-1 and 2i below i, and the check of a tree adds up
-- item + left - right, which comes to i-1 for each tree of depth 1 and more.
module Items (ItemTree, buildItems, nodesOf, countItemTrees) where

import Control.Exception (evaluate)
import Data.Bits (shiftL)

data ItemTree = Nil | Node !Int !ItemTree !ItemTree

-- | A perfect tree of the depth, whose root has the item.
buildItems :: Int -> Int -> ItemTree
buildItems item 0 = Node item Nil Nil
buildItems item depth = Node item (buildItems (2 * item - 1) (depth - 1)) (buildItems (2 * item) (depth - 1))
{-# NOINLINE buildItems #-}

check :: ItemTree -> Int
check Nil = 0
check (Node item left right) = item + check left - check right

-- | The count of nodes of a tree whose check is right, and 0 for any other: the answer of
-- ../spec.md is in nodes, and this walk does not count them.
nodesOf :: Int -> ItemTree -> Int
nodesOf _ Nil = 0
nodesOf depth tree@(Node item _ _)
  | check tree == (if depth > 0 then item - 1 else item) = (1 `shiftL` (depth + 1)) - 1
  | otherwise = 0

-- | Builds, counts and drops so many trees of the depth from a number on. Trees are numbered 1,
-- -1, 2, -2 ...
countItemTrees :: Int -> Int -> Int -> IO Int
countItemTrees depth = go 0
 where
  go total _ 0 = return total
  go total number trees = do
    let item = if even number then number `div` 2 + 1 else negate (number `div` 2 + 1)
    nodes <- evaluate (nodesOf depth (buildItems item depth))
    go (total + nodes) (number + 1) (trees - 1 :: Int)
