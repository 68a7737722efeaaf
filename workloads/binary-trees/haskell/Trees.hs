{-# LANGUAGE BangPatterns #-}

-- | The phases of binary-trees, and the sharing out of the trees of one depth.
module Trees (Strategy (..), run, strategies) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (evaluate)
import Control.Monad (forM, forM_)
import Data.Bits (shiftL, shiftR)
import Data.IORef (IORef, atomicModifyIORef', newIORef)
import GHC.Compact (compact, getCompact)

import Items (buildItems, countItemTrees, nodesOf)
import Node (Tree, build, count, countTrees)

data Strategy = Strategy
  { name :: String
  , ownThreads :: Bool -- ^ the runtime's options say how many threads it has
  , longLived :: Int -> IO Int -- ^ builds a tree of the depth; the result, not yet computed, is its count
  , countMany :: Int -> Int -> Int -> IO Int -- ^ of a depth, from a number on, so many
  }

strategies :: [Strategy]
strategies =
  [ -- As any other value: each major collection copies it.
    Strategy "plain" False (fmap count . evaluate . build) manyTrees
  , -- In a compact region, into which it is copied once, and where no collection looks.
    Strategy "compact" False (fmap count . keepCompact . build) manyTrees
  , -- As published, with the items of the time, and the threads that -N4 asks for.
    Strategy "items" True (\depth -> nodesOf depth <$> evaluate (buildItems 1 depth)) countItemTrees
  ]
 where
  manyTrees depth _ = countTrees depth

keepCompact :: Tree -> IO Tree
keepCompact tree = getCompact <$> (compact =<< evaluate tree)

-- | Prints the answer for a depth of at least 6.
run :: Strategy -> Int -> Int -> IO ()
run strategy workers depth = do
  stretch <- countMany strategy (depth + 1) 0 1
  putStrLn (line "stretch tree of depth " (depth + 1) stretch)
  kept <- longLived strategy depth
  forM_ [minDepth, minDepth + 2 .. depth] $ \d -> do
    let trees = 1 `shiftL` (depth - d + minDepth)
    check <- countAll strategy workers trees d
    putStrLn (line (show trees ++ "\t trees of depth ") d check)
  putStrLn (line "long lived tree of depth " depth kept)
 where
  minDepth = 4
  line before d check = before ++ show d ++ "\t check: " ++ show check

-- | Builds, counts and drops so many trees of the depth, shared out over the workers.
countAll :: Strategy -> Int -> Int -> Int -> IO Int
countAll strategy workers trees depth = do
  taken <- newIORef 0
  let work = takeBatches strategy taken trees depth
  others <- forM [2 .. workers] $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (work >>= putMVar done)
    return done
  own <- work -- one worker means one thread
  (own +) . sum <$> mapM takeMVar others

-- | A worker's part. It takes batches of about 65,000 nodes, so that sharing out costs
-- nothing and the last batches end together.
takeBatches :: Strategy -> IORef Int -> Int -> Int -> IO Int
takeBatches strategy taken trees depth = go 0
 where
  batch = max 1 ((1 `shiftL` 16) `shiftR` (depth + 1))
  go !check = do
    start <- atomicModifyIORef' taken (\n -> (n + batch, n))
    if start >= trees
      then return check
      else do
        more <- countMany strategy depth start (min batch (trees - start))
        go (check + more)
