{-# LANGUAGE BangPatterns #-}

-- | The phases of binary-trees, and the sharing out of the trees of one depth.
module Trees (Strategy (..), Keep, strategies, run) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (evaluate)
import Control.Monad (forM, forM_)
import Data.Bits (shiftL, shiftR)
import Data.IORef (IORef, atomicModifyIORef', newIORef)
import GHC.Compact (compact, getCompact)

import Node (Tree, build, count, countTrees)

-- | How the long-lived tree is kept; the others are left to the collector in any case.
type Keep = Tree -> IO Tree

data Strategy = Strategy {name :: String, keep :: Keep}

strategies :: [Strategy]
strategies =
  [ -- As any other value: each major collection copies it.
    Strategy "plain" evaluate
  , -- In a compact region, into which it is copied once, and where no collection looks.
    Strategy "compact" (fmap getCompact . compact)
  ]

-- | Prints the answer for a depth of at least 6.
run :: Strategy -> Int -> Int -> IO ()
run strategy workers depth = do
  stretch <- countTrees (depth + 1) 1
  putStrLn (line "stretch tree of depth " (depth + 1) stretch)
  longLived <- keep strategy =<< evaluate (build depth)
  forM_ [minDepth, minDepth + 2 .. depth] $ \d -> do
    let trees = 1 `shiftL` (depth - d + minDepth)
    check <- countAll workers trees d
    putStrLn (line (show trees ++ "\t trees of depth ") d check)
  putStrLn (line "long lived tree of depth " depth (count longLived))
 where
  minDepth = 4
  line before d check = before ++ show d ++ "\t check: " ++ show check

-- | Builds, counts and drops so many trees of the depth, shared out over the workers.
countAll :: Int -> Int -> Int -> IO Int
countAll workers trees depth = do
  taken <- newIORef 0
  let work = takeBatches taken trees depth
  others <- forM [2 .. workers] $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (work >>= putMVar done)
    return done
  own <- work -- one worker means one thread
  (own +) . sum <$> mapM takeMVar others

-- | A worker's part. It takes batches of about 65,000 nodes, so that sharing out costs
-- nothing and the last batches end together.
takeBatches :: IORef Int -> Int -> Int -> IO Int
takeBatches taken trees depth = go 0
 where
  batch = max 1 ((1 `shiftL` 16) `shiftR` (depth + 1))
  go !check = do
    start <- atomicModifyIORef' taken (\n -> (n + batch, n))
    if start >= trees
      then return check
      else do
        more <- countTrees depth (min batch (trees - start))
        go (check + more)
