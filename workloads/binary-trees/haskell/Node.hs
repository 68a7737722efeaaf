-- Without these flags the optimizer does not do the work: both subtrees of a node, being
-- equal expressions, are built once and shared (cse), and one tree serves for many
-- (full-laziness). The bytes of -report show that every node is allocated.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}

-- | The node of the Haskell solutions, how it is built and how it is counted.
module Node (Tree, build, count, countTrees) where

import Control.Exception (evaluate)

data Tree = Nil | Node !Tree !Tree

-- | A perfect tree of the depth.
build :: Int -> Tree
build = grow Nil
{-# NOINLINE build #-}

-- | Takes Nil as an argument, which makes a leaf something that is computed.
grow :: Tree -> Int -> Tree
grow nil 0 = Node nil nil
grow nil depth = Node (grow nil (depth - 1)) (grow nil (depth - 1))
{-# NOINLINE grow #-}

-- | The count of nodes, by walking.
count :: Tree -> Int
count Nil = 0
count (Node Nil _) = 1
count (Node left right) = 1 + count left + count right

-- | Builds, counts and drops so many trees of the depth, one after the other. It is an
-- action because a pure function of the same arguments may be called once for all
-- batches.
countTrees :: Int -> Int -> IO Int
countTrees depth = go 0
 where
  go check 0 = return check
  go check trees = do
    nodes <- evaluate (count (build depth))
    go (check + nodes) (trees - 1 :: Int)
